import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createClient, httpTransport, loadKubeconfig } from "@trivium/client";
import { Deployment, type KubeClient, Pod, Service } from "@trivium/kube";
import { printTable, seconds } from "./support/table.ts";
import { startTrivium } from "./support/trivium-process.ts";

/**
 * From a pod to an answer: what `npm start` runs, with the demo model and the real engine, one pod after the other. And from a
 * request for a model that is at zero to its answer.
 */
const rounds = 5;
const name = "measured";
const where = { namespace: "default", name };
const labels = { app: name };

interface Lifecycle {
  readonly scheduled: number;
  readonly running: number;
  readonly healthy: number;
  readonly ready: number;
  readonly answered: number;
}

const podSpec = {
  terminationGracePeriodSeconds: 2,
  containers: [
    {
      name: "server",
      image: "ghcr.io/ggml-org/llama.cpp:server",
      args: ["-m", "/models/demo.gguf", "--host", "0.0.0.0", "--port", "8080", "-c", "2048", "-np", "4"],
      ports: [{ name: "http", containerPort: 8080 }],
      readinessProbe: { httpGet: { path: "/health", port: "http" }, periodSeconds: 1 },
      volumeMounts: [{ name: "models", mountPath: "/models" }],
    },
  ],
  volumes: [{ name: "models", hostPath: { path: "/opt/trivium/models" } }],
};

const server = await startTrivium({ flags: [] });
const transport = httpTransport(await loadKubeconfig(server.kubeconfig));
try {
  const client = createClient(transport);
  const lifecycles: Lifecycle[] = [];
  for (let round = 0; round < rounds; round += 1) lifecycles.push(await followPod(client));
  const { ports } = JSON.parse(readFileSync(join(server.home, "run.json"), "utf8")) as { ports: { gateway: number } };
  const wakings = await wakeOften(client, `http://127.0.0.1:${ports.gateway}`);
  const row = (what: string, times: readonly number[], aim = ""): string[] => {
    const sorted = times.toSorted((a, b) => a - b);
    return [what, seconds(sorted[Math.floor(sorted.length / 2)] ?? 0), seconds(sorted.at(-1) ?? 0), aim];
  };
  const of = (step: keyof Lifecycle): number[] => lifecycles.map((lifecycle) => lifecycle[step]);
  printTable([
    [`${rounds} pods, one after the other`, "median", "slowest", "aim"],
    row("pod created to a node chosen", of("scheduled")),
    row("… its process started", of("running")),
    row("… model loaded (/health)", of("healthy")),
    row("… first answer of the server itself", of("answered"), "at most 1 s"),
    row("… Ready (a probe every second)", of("ready")),
    row("request for a model at zero to its answer", wakings),
  ]);
} finally {
  await transport.close();
  await server.stop();
  server.removeHome();
}

async function followPod(client: KubeClient): Promise<Lifecycle> {
  const over = new AbortController();
  const observed: { scheduled?: number; running?: number; ready?: number; address?: string } = {};
  const address = Promise.withResolvers<string>();
  const ready = Promise.withResolvers<void>();
  const gone = Promise.withResolvers<void>();
  const began = performance.now();
  const since = (): number => performance.now() - began;
  const watching = (async () => {
    for await (const event of client.watch(Pod, { namespace: "default", signal: over.signal })) {
      if (event.type === "DELETED") gone.resolve();
      if (event.type !== "ADDED" && event.type !== "MODIFIED") continue;
      const { spec, status } = event.object;
      if (spec?.nodeName !== undefined) observed.scheduled ??= since();
      if (status?.podIP !== undefined) address.resolve(status.podIP);
      if (status?.containerStatuses?.[0]?.state?.running !== undefined) observed.running ??= since();
      const isReady = status?.conditions?.some(({ type, status: value }) => type === "Ready" && value === "True");
      if (!isReady) continue;
      observed.ready ??= since();
      ready.resolve();
    }
  })().catch(() => undefined);
  await client.create(Pod, {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { ...where, labels },
    spec: podSpec,
  } as Pod);
  const url = `http://${await address.promise}:8080`;
  await untilHealthy(url);
  const healthy = since();
  await ask(url);
  const answered = since();
  await ready.promise;
  await client.delete(Pod, where);
  await gone.promise;
  over.abort();
  await watching;
  const { scheduled = 0, running = 0, ready: readyAt = 0 } = observed;
  return { scheduled, running, healthy, answered, ready: readyAt };
}

async function untilHealthy(url: string): Promise<void> {
  for (;;) {
    const response = await fetch(`${url}/health`).catch(() => undefined);
    await response?.arrayBuffer();
    if (response?.status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function wakeOften(client: KubeClient, gateway: string): Promise<number[]> {
  const metadata = { ...where };
  await client.create(Service, {
    apiVersion: "v1",
    kind: "Service",
    metadata,
    spec: { selector: labels, ports: [{ name: "http", port: 80, targetPort: "http" }] },
  } as Service);
  await client.create(Deployment, {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata,
    spec: { replicas: 0, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: podSpec } },
  } as Deployment);
  const times: number[] = [];
  // The gateway has to hear of both objects before it can wake anything.
  await new Promise((resolve) => setTimeout(resolve, 500));
  for (let round = 0; round < rounds; round += 1) {
    const began = performance.now();
    await ask(gateway);
    times.push(performance.now() - began);
    const asleep = { type: "merge", body: { spec: { replicas: 0 } } } as const;
    await client.patch(Deployment, where, asleep, { subresource: "scale" });
    while ((await client.list(Pod, { namespace: "default" })).items.length > 0)
      await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return times;
}

async function ask(url: string): Promise<void> {
  const body = { model: name, max_tokens: 4, messages: [{ role: "user", content: "Hi" }] };
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(text);
}
