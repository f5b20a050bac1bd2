import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ServerIdentity } from "@trivium/apiserver";
import type { CustomResourceDefinition } from "@trivium/kube";
import { ensurePrograms, type GoPrograms, outputOf } from "../build.ts";
import { freePorts } from "../free-ports.ts";
import { installDefinitions } from "../install-definitions.ts";
import { aggregatedApiObjects, delegationArguments, serverNameOf } from "./aggregated-api.ts";
import { identityOf, writeCertificates } from "./certificates.ts";
import { applyObjects, isAvailable } from "./objects.ts";
import {
  folderOfModule,
  isServed,
  type NeighbourOptions,
  type RunningNeighbour,
  readObjects,
  startProgram,
} from "./program.ts";

const module = join(import.meta.dirname, "keda");
const operator = "keda-operator";
const metricsServer = "keda-metrics-apiserver";
const namespace = "keda";
const api = { group: "external.metrics.k8s.io", version: "v1beta1", namespace, service: metricsServer };

const programs: GoPrograms = {
  module,
  output: outputOf("keda", module),
  about: "KEDA once, about fifteen minutes of one core",
  programs: {
    [operator]: "github.com/kedacore/keda/v2/cmd/operator",
    [metricsServer]: "github.com/kedacore/keda/v2/cmd/adapter",
  },
};

/** Whether this machine has built the programs: tests do not wait for that. */
export const isKedaBuilt = (): boolean => existsSync(programs.output);

/** The folder of the programs, built first if this machine has not built them before. */
export const ensureKeda = (print: (line: string) => void): string => ensurePrograms(programs, print);

interface KedaOptions extends NeighbourOptions {
  /** An address of this machine that the API server accepts for a Service: not loopback. */
  readonly host: string;
}

/** KEDA on this machine: its operator scales from and to zero, and its server of metrics tells autoscalers what to do above that. */
export async function startKeda(options: KedaOptions): Promise<RunningNeighbour> {
  const crds = join(folderOfModule(module, "github.com/kedacore/keda/v2"), "config/crd/bases/*.yaml");
  await installDefinitions(options.client, readObjects(crds) as CustomResourceDefinition[]);
  const folder = join(options.folder, "keda");
  const identity = await identityOf(folder, serverNameOf(api), options.host);
  const [metrics = 0] = await freePorts(1);
  const running = await startKedaOperator(options, { identity, folder, metrics });
  try {
    const server = await startMetricsServer(options, { identity, folder, metrics });
    return {
      async stop() {
        await server.stop();
        await running.stop();
      },
    };
  } catch (error) {
    await running.stop();
    throw error;
  }
}

interface Shared {
  readonly identity: ServerIdentity;
  readonly folder: string;
  /** Where the operator tells the server of metrics what it measures. */
  readonly metrics: number;
}

async function startKedaOperator(options: KedaOptions, { identity, folder, metrics }: Shared) {
  const certificates = writeCertificates(join(folder, "operator"), identity.server, identity.authority);
  const [health = 0] = await freePorts(1);
  return startProgram(
    {
      name: operator,
      path: join(
        ensureKeda(() => undefined),
        operator,
      ),
      args: [
        ...["--leader-elect=false", "--metrics-bind-address=0", `--health-probe-bind-address=127.0.0.1:${health}`],
        ...[`--metrics-service-bind-address=127.0.0.1:${metrics}`, `--cert-dir=${certificates}`],
        `--ca-dir=${certificates}`,
      ],
      env: { WATCH_NAMESPACE: "", POD_NAMESPACE: namespace, KEDA_CLUSTER_OBJECT_NAMESPACE: namespace },
      isReady: () => isServed(`http://127.0.0.1:${health}/readyz`),
    },
    options,
  );
}

async function startMetricsServer(options: KedaOptions, { identity, folder, metrics }: Shared) {
  const { client, host, kubeconfig } = options;
  // To the operator it is a client, to the API server a server: a certificate for each.
  const asClient = writeCertificates(join(folder, "client"), identity.admin, identity.authority);
  const asServer = writeCertificates(join(folder, "server"), identity.server, identity.authority);
  const [port = 0, own = 0] = await freePorts(2);
  await applyObjects(client, [{ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } }]);
  await applyObjects(client, aggregatedApiObjects({ ...api, authority: identity.authority, address: host, port }));
  return startProgram(
    {
      name: metricsServer,
      path: join(
        ensureKeda(() => undefined),
        metricsServer,
      ),
      args: [
        ...delegationArguments(kubeconfig),
        ...[`--bind-address=${host}`, `--secure-port=${port}`, `--port=${own}`, `--cert-dir=${asClient}`],
        `--tls-cert-file=${join(asServer, "tls.crt")}`,
        `--tls-private-key-file=${join(asServer, "tls.key")}`,
        `--metrics-service-address=127.0.0.1:${metrics}`,
      ],
      env: { WATCH_NAMESPACE: "", POD_NAMESPACE: namespace },
      isReady: () => isAvailable(client, `${api.version}.${api.group}`),
    },
    options,
  );
}
