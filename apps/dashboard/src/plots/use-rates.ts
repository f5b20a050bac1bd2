import { type GatewayMetrics, paths } from "@trivium/dashboard-server/contract";
import { useEffect, useState } from "preact/hooks";
import { getJson } from "../kube/request.ts";
import { session } from "../session/session.ts";
import { type RatePoint, rateBetween } from "./rates.ts";

/** Readings are two seconds apart, and five minutes are kept. */
const [pause, maxPoints] = [2_000, 150];

export interface Rates {
  readonly points: readonly RatePoint[];
  readonly failure?: string;
}

/** What the gateway does, for as long as the page shows it: figures have no watch, so they are read again. */
export function useRates(model?: string): Rates {
  const [rates, setRates] = useState<Rates>({ points: [] });
  const isServed = session.value?.features?.hasGatewayMetrics === true;
  useEffect(() => {
    if (!isServed) return undefined;
    let before: GatewayMetrics | undefined;
    const stop = new AbortController();
    const read = async () => {
      if (document.hidden) return;
      try {
        const next = await getJson<GatewayMetrics>(paths.gatewayMetrics, { signal: stop.signal });
        const then = before;
        before = next;
        if (then === undefined) return;
        setRates(({ points }) => ({ points: [...points, rateBetween(then, next, model)].slice(-maxPoints) }));
      } catch (error) {
        if (!stop.signal.aborted)
          setRates(({ points }) => ({ points, failure: error instanceof Error ? error.message : String(error) }));
      }
    };
    void read();
    const timer = setInterval(read, pause);
    return () => {
      stop.abort();
      clearInterval(timer);
    };
  }, [model, isServed]);
  return rates;
}
