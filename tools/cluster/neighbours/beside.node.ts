// Services on a real node beside real controllers of other projects: routes by Traefik, metrics by Prometheus, replicas by KEDA and by the
// adapter of Prometheus, Deployments by KServe.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createClient, httpTransport, loadKubeconfig } from "@trivium/client";
import { startPrometheus, until } from "@trivium/testkit";
import { openGateway } from "../e2e/gateway.ts";
import { type RealCluster, startOrSkip, thisCheckout } from "../e2e/installed.ts";
import { applyAll, createNamespace, namespace, release } from "../e2e/release.ts";
import { llmkubeService, valuesFor } from "../e2e/services.ts";
import { startSources } from "../e2e/sources.ts";
import { installDefinitions } from "../install-definitions.ts";
import { thirdPartyApiDefinitions } from "../third-party/definitions.ts";
import { playCustomMetrics } from "./custom-metrics.ts";
import { isKedaBuilt, startKeda } from "./keda.ts";
import { playKeda } from "./keda-scaling.ts";
import { isKServeBuilt, startKServe } from "./kserve.ts";
import { playKServe } from "./kserve-serving.ts";
import type { NeighbourOptions } from "./program.ts";
import { isPrometheusAdapterBuilt } from "./prometheus-adapter.ts";
import { type EndpointSlices, type ServiceMonitor, scrapeJobsOf, selectorOf } from "./scrape-jobs.ts";
import { isTraefikBuilt, startTraefik } from "./traefik.ts";

const registry = "trivium.test/now";
const patience = 240_000;
const notBuilt = "is not built on this machine; run npm run cluster:neighbours once";

test("routes, metrics and replicas by controllers of other projects", async (t) => {
  const built = [isTraefikBuilt, isKedaBuilt, isKServeBuilt, isPrometheusAdapterBuilt];
  if (!built.some((isBuilt) => isBuilt())) return t.skip(`each of the controllers ${notBuilt}`);
  const cluster = await startOrSkip(t);
  if (cluster === undefined) return;
  await using parts = new AsyncDisposableStack();
  const transport = httpTransport(await loadKubeconfig(cluster.kubeconfig));
  parts.defer(() => transport.close());
  const { kubeconfig, folder, host } = cluster;
  const options = { client: createClient(transport), kubeconfig, folder, host };
  // The operator reads once in a while which APIs exist, so they are there before it starts.
  const traefik = isTraefikBuilt() ? await startTraefik(options) : undefined;
  if (traefik !== undefined) parts.defer(() => traefik.stop());
  const keda = isKedaBuilt() ? await startKeda(options) : undefined;
  if (keda !== undefined) parts.defer(() => keda.stop());
  const kserve = isKServeBuilt() ? await startKServe(options) : undefined;
  if (kserve !== undefined) parts.defer(() => kserve.stop());
  await installMonitoring(options);
  const sources = await startSources(cluster.host);
  parts.defer(() => sources.stop());
  await cluster.load(thisCheckout, registry);
  await applyAll(cluster, sources.objects);
  await createNamespace(cluster);
  await release(cluster, "install", { ...valuesFor(registry, sources), monitoring: { serviceMonitor: true } });
  const prometheus = await scrape(cluster);
  if (prometheus.is === "running") parts.defer(() => prometheus.stop());

  await t.test("Traefik answers at the HTTPRoute of a service", async (step) => {
    if (traefik === undefined) return step.skip(`Traefik ${notBuilt}`);
    await applyAll(cluster, gatewayObjects(traefik.className, traefik.port));
    const [model, service] = llmkubeService(sources, "routed") as [object, { metadata: object }];
    const annotations = { "trivium.dev/gateway": "infra/main" };
    await applyAll(cluster, [model, { ...service, metadata: { ...service.metadata, annotations } }]);
    const name = "inferenceservices.inference.llmkube.dev/routed";
    await cluster.kubectl(["wait", name, "--for=condition=RouteReady", "--timeout=240s"]);
    await cluster.kubectl(["wait", name, "--for=condition=Available", "--timeout=240s"]);
    const url = `http://127.0.0.1:${traefik.port}/default/routed/v1/chat/completions`;
    const messages = [{ role: "user", content: "What is Trivium?" }];
    const ask = async (): Promise<{ status: number; text: string }> => {
      const body = JSON.stringify({ max_tokens: 8, temperature: 0, messages });
      const answer = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
      return { status: answer.status, text: await answer.text() };
    };
    await until(async () => (await ask()).status === 200, "Traefik routes to the pod", patience);
    assert.match((await ask()).text, /Trivium/);
    await cluster.kubectl(["delete", name]);
    await until(async () => (await ask()).status === 404, "Traefik no longer has the route", patience);
  });

  await t.test("Prometheus finds and reads every target of the ServiceMonitors", async (step) => {
    if (prometheus.is === "missing") return step.skip(prometheus.why);
    const answers = async (query: string, value: number): Promise<void> => {
      let last: number | undefined;
      const isSo = async (): Promise<boolean> => {
        last = await prometheus.query(query);
        return last === value;
      };
      await until(isSo, query, patience).catch(() => assert.fail(`${query} came to ${last}, not ${value}`));
    };
    await answers("count(up == 1)", 4);
    await answers("count(up == 0) or vector(0)", 0);
    await answers("sum(trivium_is_leader)", 1);
    const gateway = await openGateway(cluster, namespace);
    assert.equal((await gateway.ask("nothing-has-this-name")).status, 404);
    await answers("sum(trivium_gateway_refused_total) > bool 0", 1);
  });

  await t.test("KEDA scales a service of OME to zero and wakes it for a request", async (step) => {
    if (keda === undefined) return step.skip(`KEDA ${notBuilt}`);
    if (prometheus.is === "missing") return step.skip(prometheus.why);
    await playKeda(cluster, { prometheus, registry, step });
  });

  await t.test("an autoscaler of LLMKube reads the engine's metrics from the adapter of Prometheus", async (step) => {
    if (!isPrometheusAdapterBuilt()) return step.skip(`the adapter of Prometheus ${notBuilt}`);
    await playCustomMetrics(cluster, { ...options, sources, step });
  });

  await t.test("KServe writes the Deployment of a service of AIM, which answers", async (step) => {
    if (kserve === undefined) return step.skip(`KServe ${notBuilt}`);
    await playKServe(cluster, sources);
  });
});

/** The kind ServiceMonitor; the job of its controller is done by `scrapeJobsOf`. */
async function installMonitoring({ client }: NeighbourOptions): Promise<void> {
  const wanted = "servicemonitors.monitoring.coreos.com";
  const definitions = thirdPartyApiDefinitions(() => undefined).filter(({ metadata }) => metadata.name === wanted);
  assert.equal(definitions.length, 1);
  await installDefinitions(client, definitions);
}

/** Prometheus with the rights that the chart has for it. */
async function scrape(cluster: RealCluster): ReturnType<typeof startPrometheus> {
  const { kubectl } = cluster;
  await kubectl(["create", "serviceaccount", "prometheus"]);
  const role = ["create", "clusterrolebinding", "prometheus", "--clusterrole=trivium-metrics-reader"];
  await kubectl([...role, "--serviceaccount=default:prometheus"]);
  const token = join(cluster.folder, "prometheus-token");
  writeFileSync(token, (await kubectl(["create", "token", "prometheus", "--duration=2h"])).trim(), { mode: 0o600 });
  const monitors = await kubectl(["get", "servicemonitors", "--all-namespaces", "--output=json"]);
  const { items } = JSON.parse(monitors) as { items: ServiceMonitor[] };
  assert.deepEqual(items.map(({ metadata }) => metadata.name).sort(), [
    "trivium-gateway",
    "trivium-node-agent",
    "trivium-operator",
  ]);
  const jobs = items.map(async (item) => {
    const place = ["--namespace", item.metadata.namespace, "--selector", selectorOf(item), "--output=json"];
    return scrapeJobsOf(item, JSON.parse(await kubectl(["get", "endpointslices", ...place])) as EndpointSlices, token);
  });
  return startPrometheus({ jobs: (await Promise.all(jobs)).flat() });
}

const gatewayObjects = (gatewayClassName: string, port: number): object[] => [
  { apiVersion: "v1", kind: "Namespace", metadata: { name: "infra" } },
  {
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "GatewayClass",
    metadata: { name: gatewayClassName },
    spec: { controllerName: "traefik.io/gateway-controller" },
  },
  {
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "Gateway",
    metadata: { name: "main", namespace: "infra" },
    spec: {
      gatewayClassName,
      listeners: [{ name: "http", port, protocol: "HTTP", allowedRoutes: { namespaces: { from: "All" } } }],
    },
  },
];
