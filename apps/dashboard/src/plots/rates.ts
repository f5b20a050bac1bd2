import type { GatewayMetrics, MetricSample } from "@trivium/dashboard-server/contract";

/** What the gateway did in each second, at one moment. */
export interface RatePoint {
  /** Seconds since 1970. */
  readonly at: number;
  readonly requests: number;
  readonly failures: number;
  readonly tokens: number;
  readonly inFlight: number;
}

/** The rates between two readings; of one model, or of all. A counter that became smaller began again. */
export function rateBetween(before: GatewayMetrics, after: GatewayMetrics, model?: string): RatePoint {
  const seconds = Math.max(0.001, (after.at - before.at) / 1_000);
  const rate = (name: string, isCounted: (sample: MetricSample) => boolean = () => true): number => {
    const [then, now] = [before, after].map(({ samples }) =>
      sum(samples, name, (one) => isOf(one, model) && isCounted(one)),
    );
    return Math.max(0, (now ?? 0) - (then ?? 0)) / seconds;
  };
  return {
    at: after.at / 1_000,
    requests: rate("trivium_gateway_requests_total"),
    failures: rate("trivium_gateway_requests_total", ({ labels }) => Number(labels.code) >= 400),
    tokens: rate("trivium_gateway_tokens_total", ({ labels }) => labels.kind === "completion"),
    inFlight: sum(after.samples, "trivium_gateway_in_flight", (one) => isOf(one, model)),
  };
}

const isOf = ({ labels }: MetricSample, model: string | undefined): boolean =>
  model === undefined || labels.model === model;

const sum = (samples: readonly MetricSample[], name: string, isCounted: (sample: MetricSample) => boolean): number =>
  samples.filter((one) => one.name === name && isCounted(one)).reduce((total, { value }) => total + value, 0);
