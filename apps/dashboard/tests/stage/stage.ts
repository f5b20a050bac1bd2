import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Api, builtInResources, createApi, openMemoryStore } from "@trivium/apiserver";
import { createClient } from "@trivium/client";
import { createDashboard, type GatewayPort, serveDashboard, startAddress } from "@trivium/dashboard-server";
import {
  CustomResourceDefinition,
  gatewayApiCrds,
  isConditionTrue,
  isReason,
  type KubeClient,
  type Transport,
} from "@trivium/kube";
import { dialectDefinitions } from "@trivium/local";
import { until } from "@trivium/testkit";

/** The embedded API server in this process, and the dashboard in front of it with its built pages. */
export interface Stage {
  readonly api: Api;
  readonly client: KubeClient;
  /** The address of the next log-in. */
  address(): string;
  /** The API stops: calls fail and streams break, until it starts again. */
  stopApi(): void;
  startApi(): void;
  close(): Promise<void>;
}

const admin = { user: "tester", groups: ["system:masters"] };

export interface StageOptions {
  readonly isReadOnly?: boolean;
  /** As whom the dashboard calls the API; the administrator when left out. */
  readonly user?: { readonly user: string; readonly groups: readonly string[] };
  /** The namespace of the user's kubeconfig. */
  readonly namespace?: string;
  readonly gateway?: GatewayPort;
}

export async function startStage(options: StageOptions = {}): Promise<Stage> {
  const { isReadOnly = false, user = admin, namespace = "default", gateway } = options;
  const api = createApi({ store: openMemoryStore(), resources: builtInResources() });
  await api.ready;
  const client = createClient(api.transport(admin));
  await define(client);
  await api.idle();
  const link = breakable(api.transport({ ...user, groups: [...user.groups] }));
  const tokens: string[] = [];
  const connection = { transport: link.transport, server: "https://127.0.0.1:6443", namespace };
  const dashboard = createDashboard({
    assets: await builtPages(),
    login: { is: "start-token", connection, publish: (token) => void tokens.push(token) },
    isReadOnly,
    gateway,
    allowedHosts: [],
    version: "0.1.0",
    log: () => {},
  });
  const server = await serveDashboard(dashboard, { host: "127.0.0.1", port: 0 });
  return {
    api,
    client,
    address: () => startAddress(server.port, tokens.at(-1) ?? ""),
    stopApi: link.stop,
    startApi: link.start,
    close: async () => {
      await server.close();
      await api.close();
    },
  };
}

/** Those that the test run has built, or a build for this run. */
export async function builtPages(): Promise<string> {
  const bundles = process.env.TRIVIUM_TEST_BUNDLES;
  if (bundles !== undefined) return join(bundles, "dashboard");
  const [{ build }, { default: config }] = await Promise.all([import("vite"), import("../../vite.config.ts")]);
  const outDir = mkdtempSync(join(tmpdir(), "trivium-dashboard-"));
  await build({ ...config, configFile: false, logLevel: "error", build: { ...config.build, outDir } });
  return outDir;
}

export async function define(client: KubeClient): Promise<void> {
  const definitions = [...dialectDefinitions(), ...(await gatewayApiCrds())];
  for (const definition of definitions)
    await client.create(CustomResourceDefinition, definition).catch((error: unknown) => {
      // A cluster that was given may have them.
      if (!isReason(error, "AlreadyExists")) throw error;
    });
  for (const { metadata } of definitions)
    await until(async () => {
      const { status } = await client.get(CustomResourceDefinition, { name: metadata.name ?? "" });
      return isConditionTrue(status?.conditions, "Established");
    });
}

/** A transport that can be cut like a connection. */
function breakable(transport: Transport): { transport: Transport; stop(): void; start(): void } {
  let cut = new AbortController();
  let isDown = false;
  return {
    transport: async (request) => {
      if (isDown) throw Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
      const signals = [cut.signal, ...(request.signal === undefined ? [] : [request.signal])];
      return transport({ ...request, signal: AbortSignal.any(signals) });
    },
    stop() {
      isDown = true;
      cut.abort(new Error("connection reset"));
    },
    start() {
      isDown = false;
      cut = new AbortController();
    },
  };
}
