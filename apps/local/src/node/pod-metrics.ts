import { type KubeClient, Pod } from "@trivium/kube";
import type { Sandbox } from "@trivium/node";
import { type Answered, answer } from "@trivium/reconcile";
import { podMetric, podUsage } from "@trivium/workloads";
import { ProcessorTimes } from "./processor-times.ts";

const maxBytes = 4 << 20;

/** Answers what autoscalers ask, from the machine itself: there is no metrics server here. */
export function podMetricAnswers(client: KubeClient, sandbox: Sandbox): Answered[] {
  const processors = new ProcessorTimes(sandbox);
  return [
    answer(podUsage, async ({ namespace, pods, resource, container }) => {
      const usages = (await processors.read()).filter(
        (usage) =>
          usage.namespace === namespace &&
          pods.includes(usage.pod) &&
          (container ?? usage.container) === usage.container,
      );
      const byPod: Record<string, number> = {};
      for (const usage of usages) {
        const value =
          resource === "cpu" ? usage.milliProcessors : resource === "memory" ? usage.memoryBytes * 1000 : undefined;
        if (value !== undefined) byPod[usage.pod] = (byPod[usage.pod] ?? 0) + value;
      }
      return byPod;
    }) as Answered,
    answer(podMetric, async ({ namespace, pods, metric }, { signal }) => {
      const entries = await Promise.all(
        pods.map(async (name) => [name, await scrape(client, { namespace, name, metric, signal })] as const),
      );
      return Object.fromEntries(entries.filter((entry): entry is [string, number] => entry[1] !== undefined));
    }) as Answered,
  ];
}

/** The sum of a gauge over its labels, as the pod's own `/metrics` says it; nothing where it does not. */
async function scrape(
  client: KubeClient,
  { namespace, name, metric, signal }: { namespace: string; name: string; metric: string; signal: AbortSignal },
): Promise<number | undefined> {
  try {
    const { spec, status } = await client.get(Pod, { namespace, name });
    const port = spec?.containers.flatMap(({ ports = [] }) => ports)[0]?.containerPort;
    if (status?.podIP === undefined || port === undefined) return undefined;
    const timeout = AbortSignal.any([signal, AbortSignal.timeout(3_000)]);
    const response = await fetch(`http://${status.podIP}:${port}/metrics`, { signal: timeout });
    const text = response.ok ? (await response.text()).slice(0, maxBytes) : "";
    return sumOf(text, metric);
  } catch {
    return undefined;
  }
}

/** In thousandths. A name with a colon may be written with an underscore on the way. */
export function sumOf(text: string, metric: string): number | undefined {
  const names = new Set([metric, metric.replaceAll(":", "_")]);
  let sum: number | undefined;
  for (const line of text.split("\n")) {
    const [, name = "", value] = /^([A-Za-z_:][\w:]*)(?:\{[^}]*\})?\s+(\S+)/.exec(line) ?? [];
    const number = Number(value);
    if (names.has(name) && Number.isFinite(number)) sum = (sum ?? 0) + number * 1000;
  }
  return sum;
}
