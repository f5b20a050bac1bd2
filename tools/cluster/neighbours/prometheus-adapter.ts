import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ensurePrograms, type GoPrograms, outputOf } from "../build.ts";
import { freePorts } from "../free-ports.ts";
import { aggregatedApiObjects, delegationArguments, serverNameOf } from "./aggregated-api.ts";
import { identityOf, writeCertificates } from "./certificates.ts";
import { applyObjects, isAvailable } from "./objects.ts";
import { type NeighbourOptions, type RunningNeighbour, startProgram } from "./program.ts";

const module = join(import.meta.dirname, "prometheus-adapter");
const program = "prometheus-adapter";
const namespace = "monitoring";
const api = { group: "custom.metrics.k8s.io", version: "v1beta2", namespace, service: program };

const programs: GoPrograms = {
  module,
  output: outputOf(program, module),
  about: "the adapter of Prometheus once, about five minutes of one core",
  programs: { [program]: "." },
};

/** Whether this machine has built the adapter: tests do not wait for that. */
export const isPrometheusAdapterBuilt = (): boolean => existsSync(programs.output);

/** The adapter, built first if this machine has not built it before. */
export const ensurePrometheusAdapter = (print: (line: string) => void): string =>
  join(ensurePrograms(programs, print), program);

interface AdapterOptions extends NeighbourOptions {
  /** An address of this machine that the API server accepts for a Service: not loopback. */
  readonly host: string;
  readonly prometheus: { readonly port: number };
}

/** Metrics of pods for autoscalers, from what Prometheus has collected. */
export async function startPrometheusAdapter(options: AdapterOptions): Promise<RunningNeighbour> {
  const { client, host, kubeconfig, prometheus } = options;
  const folder = join(options.folder, program);
  const { server, authority } = await identityOf(folder, serverNameOf(api), host);
  const certificates = writeCertificates(folder, server, authority);
  const [port = 0] = await freePorts(1);
  await applyObjects(client, [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
    ...aggregatedApiObjects({ ...api, authority, address: host, port }),
  ]);
  return startProgram(
    {
      name: program,
      path: ensurePrometheusAdapter(() => undefined),
      args: [
        ...delegationArguments(kubeconfig),
        ...[`--bind-address=${host}`, `--secure-port=${port}`, `--config=${writeRules(folder)}`],
        `--tls-cert-file=${join(certificates, "tls.crt")}`,
        `--tls-private-key-file=${join(certificates, "tls.key")}`,
        `--prometheus-url=http://127.0.0.1:${prometheus.port}`,
        "--metrics-relist-interval=2s",
        "--metrics-max-age=1m",
      ],
      isReady: () => isAvailable(client, `${api.version}.${api.group}`),
    },
    options,
  );
}

/** Every series that names a pod is a metric of that pod, under its own name: the rule that engines' metrics need. */
function writeRules(folder: string): string {
  const rules = [
    {
      seriesQuery: '{namespace!="",pod!=""}',
      resources: { overrides: { namespace: { resource: "namespace" }, pod: { resource: "pod" } } },
      metricsQuery: "sum(<<.Series>>{<<.LabelMatchers>>}) by (<<.GroupBy>>)",
    },
  ];
  mkdirSync(folder, { recursive: true });
  const path = join(folder, "rules.json");
  writeFileSync(path, JSON.stringify({ rules }));
  return path;
}
