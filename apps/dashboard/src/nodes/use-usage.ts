import { parseQuantity, quantityToNumber } from "@trivium/std";
import { useEffect, useState } from "preact/hooks";
import { apiPath, getJson } from "../kube/request.ts";
import { formatBytes, formatCount } from "../parts/meter.tsx";

/** What runs now, in bytes and cores, whatever was requested. */
export interface Usage {
  readonly memory: number;
  readonly cpu: number;
}

interface NodeMetrics {
  readonly metadata: { readonly name: string };
  readonly usage: { readonly cpu?: string; readonly memory?: string };
}

const path = apiPath("/apis/metrics.k8s.io/v1beta1/nodes");

/** A metrics server measures every 15 s or so. */
const pause = 10_000;

/** By node, for as long as a page shows it: metrics have no watch. Empty where no metrics server answers, or not this user. */
export function useUsage(): ReadonlyMap<string, Usage> {
  const [usage, setUsage] = useState<ReadonlyMap<string, Usage>>(new Map());
  useEffect(() => {
    const stop = new AbortController();
    const read = async () => {
      if (document.hidden) return;
      try {
        const { items } = await getJson<{ items: readonly NodeMetrics[] }>(path, {
          signal: stop.signal,
          mayFail: true,
        });
        setUsage(new Map(items.map(({ metadata, usage }) => [metadata.name, usageOf(usage)])));
      } catch {
        if (!stop.signal.aborted) setUsage(new Map());
      }
    };
    void read();
    const timer = setInterval(read, pause);
    return () => {
      stop.abort();
      clearInterval(timer);
    };
  }, []);
  return usage;
}

const usageOf = ({ cpu, memory }: NodeMetrics["usage"]): Usage => ({ cpu: numberOf(cpu), memory: numberOf(memory) });

function numberOf(text = "0"): number {
  const quantity = parseQuantity(text);
  return quantity === undefined ? 0 : quantityToNumber(quantity);
}

/** `In use now: 3.4Gi memory, 0.8 cores`; nothing where nothing is measured. */
export function describeUsage(usages: readonly Usage[]): string | undefined {
  if (usages.length === 0) return undefined;
  const sum = (pick: (usage: Usage) => number): number => usages.reduce((total, one) => total + pick(one), 0);
  return `In use now: ${formatBytes(sum(({ memory }) => memory))} memory, ${formatCount(sum(({ cpu }) => cpu))} cores`;
}
