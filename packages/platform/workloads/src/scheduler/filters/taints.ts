import type { Taint, Toleration } from "@trivium/kube";

export function tolerates(toleration: Toleration, taint: Taint): boolean {
  if (toleration.effect && toleration.effect !== taint.effect) return false;
  if (toleration.key && toleration.key !== taint.key) return false;
  switch (toleration.operator) {
    case "Exists":
      return true;
    case "Gt":
    case "Lt":
      return isBeyond(taint.value, toleration.value, toleration.operator);
    default:
      return (toleration.value ?? "") === (taint.value ?? "");
  }
}

function isBeyond(taint: string | undefined, limit: string | undefined, operator: "Gt" | "Lt"): boolean {
  if (!isWhole(taint) || !isWhole(limit)) return false;
  return operator === "Gt" ? BigInt(taint) > BigInt(limit) : BigInt(taint) < BigInt(limit);
}

const isWhole = (text: string | undefined): text is string => text !== undefined && /^(0|-?[1-9]\d{0,18})$/.test(text);

export function isTolerated(taint: Taint, tolerations: readonly Toleration[] | undefined): boolean {
  return tolerations?.some((toleration) => tolerates(toleration, taint)) ?? false;
}

/** The first taint that keeps a pod away. */
export function untoleratedTaint(
  taints: readonly Taint[] | undefined,
  tolerations: readonly Toleration[] | undefined,
): Taint | undefined {
  return taints?.find((taint) => taint.effect !== "PreferNoSchedule" && !isTolerated(taint, tolerations));
}

/** How many taints would rather not have the pod. */
export function unwelcomeTaints(
  taints: readonly Taint[] | undefined,
  tolerations: readonly Toleration[] | undefined,
): number {
  const soft = tolerations?.filter(({ effect }) => !effect || effect === "PreferNoSchedule");
  return taints?.filter((taint) => taint.effect === "PreferNoSchedule" && !isTolerated(taint, soft)).length ?? 0;
}
