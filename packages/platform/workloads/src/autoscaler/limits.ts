import type { api, HorizontalPodAutoscaler } from "@trivium/kube";
import type { Instant } from "@trivium/std";
import { type AutoscalerMemory, within } from "./memory.ts";

/** A wish after everything that holds it back, with the words for the conditions. */
export interface Limited {
  readonly replicas: number;
  readonly able: Vocabulary;
  readonly limited: Vocabulary & { readonly status: "True" | "False" };
  /** When time alone will allow more. */
  readonly changesAt: Instant | undefined;
}

export interface Vocabulary {
  readonly reason: string;
  readonly message: string;
}

export interface Request {
  readonly autoscaler: HorizontalPodAutoscaler;
  readonly memory: AutoscalerMemory;
  readonly current: number;
  readonly wanted: number;
  readonly now: Instant;
}

const ready: Vocabulary = { reason: "ReadyForNewScale", message: "recommended size matches current size" };
const slowUp: Vocabulary = {
  reason: "ScaleUpStabilized",
  message: "recent recommendations were lower than current one, applying the lowest recent recommendation",
};
const slowDown: Vocabulary = {
  reason: "ScaleDownStabilized",
  message: "recent recommendations were higher than current one, applying the highest recent recommendation",
};

export function limit(request: Request): Limited {
  const { stabilized, changesAt } = stabilize(request);
  const rate = rateOf(request, stabilized);
  const isHeld = stabilized !== request.wanted;
  const able = !isHeld ? ready : request.wanted >= request.current ? slowUp : slowDown;
  const next = [changesAt, rate.changesAt].filter((at) => at !== undefined);
  return {
    replicas: rate.replicas,
    able,
    limited: { ...rate.words, status: rate.replicas === stabilized ? "False" : "True" },
    changesAt: next.length === 0 ? undefined : Math.min(...next),
  };
}

/** Down only as far as the highest, up only as far as the lowest of what was recommended lately. */
function stabilize({ autoscaler, memory, current, wanted, now }: Request): {
  stabilized: number;
  changesAt: Instant | undefined;
} {
  const { scaleUp, scaleDown } = autoscaler.spec?.behavior ?? {};
  const windows = {
    up: (scaleUp?.stabilizationWindowSeconds ?? 0) * 1_000,
    down: (scaleDown?.stabilizationWindowSeconds ?? 300) * 1_000,
  };
  const lately = (window: number) => within(memory, now, window);
  const low = Math.min(wanted, ...lately(windows.up).map(({ replicas }) => replicas));
  const high = Math.max(wanted, ...lately(windows.down).map(({ replicas }) => replicas));
  const stabilized = Math.min(Math.max(current, low), high);
  if (stabilized === wanted) return { stabilized, changesAt: undefined };
  const [window, isHolding] =
    wanted < current
      ? [windows.down, (replicas: number) => replicas >= stabilized]
      : [windows.up, (replicas: number) => replicas <= stabilized];
  const ends = lately(window)
    .filter(({ replicas }) => isHolding(replicas))
    .map(({ until }) => until + window);
  return { stabilized, changesAt: ends.length === 0 ? undefined : Math.max(...ends) };
}

const withinRange: Vocabulary = {
  reason: "DesiredWithinRange",
  message: "the desired count is within the acceptable range",
};
const tooFast: Vocabulary = {
  reason: "ScaleUpLimit",
  message: "the desired replica count is increasing faster than the maximum scale rate",
};
const tooFastDown: Vocabulary = {
  reason: "ScaleDownLimit",
  message: "the desired replica count is decreasing faster than the maximum scale rate",
};
const tooMany: Vocabulary = {
  reason: "TooManyReplicas",
  message: "the desired replica count is more than the maximum replica count",
};
const tooFew: Vocabulary = {
  reason: "TooFewReplicas",
  message: "the desired replica count is less than the minimum replica count",
};

interface Rated {
  readonly replicas: number;
  readonly words: Vocabulary;
  readonly changesAt: Instant | undefined;
}

function rateOf(request: Request, wanted: number): Rated {
  const { autoscaler, current } = request;
  const { minReplicas = 1, maxReplicas = 1, behavior } = autoscaler.spec ?? {};
  const free = { replicas: wanted, words: withinRange, changesAt: undefined };
  if (behavior === undefined) {
    const fastest = Math.max(current * 2, 4);
    const most = Math.min(maxReplicas, fastest);
    if (wanted < minReplicas) return { ...free, replicas: minReplicas, words: tooFew };
    if (wanted > most) return { ...free, replicas: most, words: most < maxReplicas ? tooFast : tooMany };
    return free;
  }
  if (wanted > current) {
    const most = Math.max(current, reach(behavior.scaleUp, request, 1));
    if (wanted <= Math.min(most, maxReplicas)) return free;
    if (most < maxReplicas) return { replicas: most, words: tooFast, changesAt: nextPeriod(behavior.scaleUp, request) };
    return { ...free, replicas: maxReplicas, words: tooMany };
  }
  if (wanted < current) {
    const least = Math.min(current, reach(behavior.scaleDown, request, -1));
    if (wanted >= Math.max(least, minReplicas)) return free;
    if (least > minReplicas)
      return { replicas: least, words: tooFastDown, changesAt: nextPeriod(behavior.scaleDown, request) };
    return { ...free, replicas: minReplicas, words: tooFew };
  }
  return free;
}

const upByDefault: readonly api.HPAScalingPolicy[] = [
  { type: "Pods", value: 4, periodSeconds: 15 },
  { type: "Percent", value: 100, periodSeconds: 15 },
];
const downByDefault: readonly api.HPAScalingPolicy[] = [{ type: "Percent", value: 100, periodSeconds: 15 }];

/** How far the rules let it go from where each of their periods began. */
function reach(rules: api.HPAScalingRules | undefined, { current, memory, now }: Request, sign: 1 | -1): number {
  if (rules?.selectPolicy === "Disabled") return current;
  const policies = rules?.policies ?? (sign === 1 ? upByDefault : downByDefault);
  const ends = policies.map(({ type, value, periodSeconds }) => {
    const recent = memory.changed.filter(([at]) => at > now - periodSeconds * 1_000);
    const start = current - recent.reduce((sum, [, by]) => sum + by, 0);
    if (type === "Pods") return start + sign * value;
    return sign === 1 ? Math.ceil(start * (1 + value / 100)) : Math.trunc(start * (1 - value / 100));
  });
  const isMost = (rules?.selectPolicy ?? "Max") === "Max";
  return (isMost === (sign === 1) ? Math.max : Math.min)(...ends);
}

function nextPeriod(rules: api.HPAScalingRules | undefined, { memory, now }: Request): Instant | undefined {
  const periods = (rules?.policies ?? upByDefault).map(({ periodSeconds }) => periodSeconds * 1_000);
  const ends = memory.changed.flatMap(([at]) => periods.map((period) => at + period)).filter((at) => at > now);
  return ends.length === 0 ? undefined : Math.min(...ends);
}
