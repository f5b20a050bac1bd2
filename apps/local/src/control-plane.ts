import { join } from "node:path";
import {
  type Api,
  adminByToken,
  builtInResources,
  createAccountTokens,
  createApi,
  type HealthCheck,
  loadOrCreateIdentity,
  openStore,
  type ServerIdentity,
  type Store,
  StoreRefused,
  storeCheck,
  type UsagePort,
  writeKubeconfig,
} from "@trivium/apiserver";
import { createClient } from "@trivium/client";
import { ApiError, type CustomResourceDefinition, type KubeClient } from "@trivium/kube";
import { LogBook, podLogsOf, podStreamsOf, type Sandbox, serviceNetworkOf } from "@trivium/node";
import { ome, omeDefaults } from "@trivium/ome";
import { userRolesOf } from "@trivium/reconcile";
import { Refusal } from "@trivium/std";
import { readConfiguration } from "./configuration.ts";
import { dashboardRequestOf, startDashboard } from "./dashboard/start-dashboard.ts";
import { findDashboard } from "./dashboard/start-token.ts";
import { dialectsOf, embeddedDefinitions } from "./definitions.ts";
import { defaultDialectNames } from "./dialect-names.ts";
import { dialectOptionsOf } from "./dialect-options.ts";
import { installedBuilds } from "./engine-builds/installed-builds.ts";
import { engineEnvironmentOf, gatewayRulesOf } from "./gateway/gateway-access.ts";
import { startGatewayProcess } from "./gateway/gateway-process.ts";
import { gatewayTokenOf } from "./gateway/gateway-token.ts";
import { type Home, isNewHome, openHome, removeRunRecord, writeRunRecord } from "./home.ts";
import { installDefinitions, installRoles, seedDefinitions } from "./install.ts";
import { lateAdmission } from "./late-admission.ts";
import { confirmPorts, findFreePort, listen, metricsRequestOf } from "./listen.ts";
import { openLog } from "./log.ts";
import { freeBytes } from "./node/disk.ts";
import { diskFolders } from "./node/disk-folders.ts";
import { downloadEnvironmentOf, downloadLoginsOf } from "./node/download-environment.ts";
import { modelRootsOf, startModelAgent } from "./node/model-agent.ts";
import { startNode } from "./node/node.ts";
import { usageOf } from "./node/usage.ts";
import { prepare, startOperators } from "./operators.ts";
import type { UpOptions } from "./options.ts";
import { keepPorts, portsToTry, readKeptPorts } from "./ports.ts";
import { checkoutFolder, ownPrograms } from "./programs.ts";
import { confirmReady } from "./readiness.ts";
import { weightStoreFolders } from "./weight-stores.ts";

/** The control plane of one machine, running. */
export interface ControlPlane {
  readonly url: string;
  readonly home: Home;
  readonly api: Api;
  readonly client: KubeClient;
  /** The name of this machine as a node. */
  readonly node: string;
  readonly gateway: string;
  readonly metrics: string;
  /** Where a browser opens the dashboard, with the token that logs it in; nothing where none is served. */
  readonly dashboard: string | undefined;
  /** Keys of which callers of the gateway need one; without any no key is required. */
  readonly gatewayKeys: readonly string[];
  /** Resolves when what was found at the start has been looked at. */
  settled(): Promise<void>;
  stop(): Promise<void>;
}

/** Where manifests find the models that come with this build. */
const bundledModels = "/opt/trivium/models";

/** The name under which the parts inside this process call the API. */
const internalIdentity = { user: "system:trivium", groups: ["system:masters"] };

/**
 * Starts one part after the other; when one cannot, or the start is stopped, those before it are ended in reverse. A start that is stopped
 * rejects, with whatever it was stopped in.
 */
export async function startControlPlane(options: UpOptions, signal: AbortSignal): Promise<ControlPlane> {
  await using parts = new AsyncDisposableStack();
  const isNew = isNewHome(options.home);
  // A start that cannot succeed leaves no traces of a home.
  if (isNew) await confirmPorts(options);
  const { dialects = defaultDialectNames } = options;
  const home = openHome(options.home);
  const configuration = readConfiguration(home);
  const rules = gatewayRulesOf(options, configuration.gateway, process.env);
  const log = openLog(home);
  parts.defer(() => log.close());
  const store = await openStoreOf(home, options.port);
  parts.defer(() => store.close());
  const resources = builtInResources({ loopbackEndpoints: "allowed", unenforced: "warned" });
  const definitions = await embeddedDefinitions(dialects);
  if (isNew) await seedDefinitions(store, resources, definitions);
  const identity = await loadOrCreateIdentity(home.identity, { names: [options.host] });
  const logs = new LogBook(Date.now);
  const admission = lateAdmission();
  let sandbox: Sandbox | undefined;
  let usage: UsagePort | undefined;
  const api = createApi({
    store,
    admission,
    resources,
    podLogs: podLogsOf(logs, Date.now),
    podStreams: podStreamsOf(() => sandbox),
    usage: async () => (await usage?.()) ?? { containers: [], nodes: [] },
    serviceNetwork: serviceNetworkOf(home.path),
    rootCertificate: identity.authority,
    tokens: createAccountTokens(identity.accountKey),
    otherTokens: adminByToken(identity),
    log: log.fault,
  });
  parts.defer(() => api.close());
  // The door opens first, so that a port in use is said before anything is written; it says it is not ready until it is.
  const installed = { isDone: false };
  const checks: HealthCheck[] = [
    { name: "definitions", of: "ready", isWell: () => installed.isDone },
    storeCheck(store),
  ];
  const { host, port, gatewayPort, anyPort: isAnyAllowed } = options;
  const kept = readKeptPorts(home);
  const apiPorts = portsToTry({ of: "api", port, isAnyAllowed }, kept);
  const server = await listen(api, { host, ports: apiPorts }, { identity, checks, report: log.fault });
  parts.defer(() => server.close());
  signal.throwIfAborted();
  await install(api, home, { dialects, definitions });
  signal.throwIfAborted();
  installed.isDone = true;
  const { url } = server;
  await confirmReady(url, identity.authority);
  await writeKubeconfig(home.kubeconfig, {
    server: url,
    authority: identity.authority,
    credential: { is: "certificate", pair: identity.admin },
  });
  const { kubeconfig } = home;
  const transport = api.transport(internalIdentity);
  const client = createClient(transport);
  const token = gatewayTokenOf(home);
  const programs = {
    ...ownPrograms(),
    engineEnvironment: engineEnvironmentOf(token, rules),
    engineBuilds: () => installedBuilds(home.path),
    weightsEnvironment: downloadEnvironmentOf(process.env),
    weightsLogins: downloadLoginsOf(process.env),
    weightsPeers: () => weightStoreFolders(home.path),
  };
  const checkout = checkoutFolder();
  const bundled = checkout === undefined ? [] : [join(checkout, "examples", "models", "demo")];
  const { folders: shared = [] } = configuration;
  const readable = [
    ...(configuration.folders === undefined ? diskFolders() : []),
    ...bundled.map((realPath) => ({ path: bundledModels, realPath })),
  ];
  const folders = [...shared, ...readable];
  const metricsRequest = metricsRequestOf(options, configuration.gateway.metricsPort);
  const gateway = startGatewayProcess({
    command: programs.gateway,
    kubeconfig,
    host,
    ports: portsToTry({ of: "gateway", port: gatewayPort, isAnyAllowed }, kept),
    metricsPort: await findFreePort(portsToTry(metricsRequest, kept)),
    rules,
    token,
    log,
    signal,
  });
  // It starts beside the node: a failure meanwhile is reported where its address is needed.
  gateway.catch(() => undefined);
  parts.defer(() =>
    gateway.then(
      (running) => running.stop(),
      () => undefined,
    ),
  );
  const apiServer = { host: options.host, port: server.port };
  const common = { client, log, folders };
  const { containers } = options;
  const modelRoots = modelRootsOf(home, [...(options.modelsRoot ?? []), ...configuration.modelRoots]);
  const omeOptions = { ...omeDefaults, modelsRoot: modelRoots[0]?.path ?? omeDefaults.modelsRoot };
  const node = await startNode({
    ...common,
    modelRoots,
    home,
    transport,
    logs,
    programs,
    configuration,
    containers,
    gpuShares: options.gpuShares,
    apiServer,
    signal,
  });
  parts.defer(() => node.stop());
  sandbox = node.sandbox;
  usage = usageOf({ sandbox, node: node.name });
  const agentFolders = { roots: modelRoots, shared, readable };
  if (dialects.includes(ome.name)) {
    const models = await startModelAgent({ client, log, home, node: node.name, options: omeOptions, ...agentFolders });
    parts.defer(() => models.stop());
  }
  const { url: gatewayUrl, metrics } = await gateway;
  const { hostname: gatewayAddress, port: gatewayTaken } = new URL(gatewayUrl);
  signal.throwIfAborted();
  await prepare(client, Number(gatewayTaken));
  const cacheBytes = Math.min(100 * 1024 ** 3, (await freeBytes(home.path)) / 2);
  const { keepWeightsSeconds: keepSeconds } = configuration;
  const hasContainers = containers !== undefined;
  const dialectOptions = dialectOptionsOf({ folders, ome: omeOptions, cacheBytes, keepSeconds, hasContainers });
  const runtime = await startOperators({
    ...common,
    // The operator finds a file where pods find it.
    folders: [...modelRoots, ...folders],
    dialects,
    adopt: options.adopt,
    options: dialectOptions,
    gatewayAddress,
    sandbox: node.sandbox,
  });
  parts.defer(() => runtime.stop());
  admission.ask(runtime.admitter);
  signal.throwIfAborted();
  const dashboardRequest = dashboardRequestOf(options);
  const dashboard = await startDashboard({
    options,
    ports: portsToTry(dashboardRequest, kept),
    home,
    connection: { transport: api.transport(administratorOf(identity)), server: url, namespace: "default" },
    dialectOptions,
    gateway: { url: gatewayUrl, metrics, key: rules.keys[0] },
    log,
  });
  parts.defer(() => dashboard?.close());
  const startedAt = new Date().toISOString();
  const ports = {
    api: server.port,
    gateway: Number(gatewayTaken),
    metrics: Number(new URL(metrics).port),
    ...(dashboard === undefined ? {} : { dashboard: dashboard.port }),
  };
  const requested = {
    api: port,
    gateway: gatewayPort,
    metrics: metricsRequest.port,
    dashboard: dashboardRequest.port,
  };
  keepPorts(home, { requested, taken: ports });
  writeRunRecord(home, {
    pid: process.pid,
    startedAt,
    url,
    kubeconfig,
    ports,
    dialects,
    options: dialectOptions,
    folders,
  });
  parts.defer(() => removeRunRecord(home));
  const running = parts.move();
  return {
    url,
    home,
    api,
    client,
    node: node.name,
    gateway: gatewayUrl,
    metrics,
    dashboard: findDashboard(home.path, { ports }),
    gatewayKeys: rules.keys,
    settled: () => runtime.whenIdle(),
    stop: () => running.disposeAsync(),
  };
}

/** Whom the kubeconfig logs in: the dashboard can do what kubectl with it can. */
const administratorOf = (identity: ServerIdentity): Parameters<Api["transport"]>[0] =>
  adminByToken(identity)(identity.token) ?? internalIdentity;

async function openStoreOf(home: Home, port: number): Promise<Store> {
  try {
    return await openStore({ directory: home.data, ...(port === 0 ? {} : { port }) });
  } catch (error) {
    if (error instanceof StoreRefused) throw new Refusal(`${error.message} (--home)`);
    throw error;
  }
}

interface Installed {
  readonly dialects: readonly string[];
  readonly definitions: readonly CustomResourceDefinition[];
}

async function install(api: Api, home: Home, { dialects, definitions }: Installed): Promise<void> {
  try {
    const client = createClient(api.transport(internalIdentity));
    await installDefinitions(client, definitions);
    await installRoles(client, dialectsOf(dialects).flatMap(userRolesOf));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new Refusal(`cannot store the CustomResourceDefinitions in ${home.data}: ${error.message}`);
  }
}
