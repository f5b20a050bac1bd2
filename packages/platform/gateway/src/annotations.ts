import type { KubeObject } from "@trivium/kube";
import { parseDuration } from "@trivium/std";

/** What people write on their objects for the gateway. */
export const annotations = {
  /** On a Service or its Deployment: the names that the model is served under. On a Service an empty text says that it is no model. */
  models: "trivium.dev/models",
  /** On a Deployment or an object above it: put to zero after so long without a request. */
  idleTimeout: "trivium.dev/idle-timeout",
  /** Written when something is put to zero: how many replicas it had. */
  awakeReplicas: "trivium.dev/awake-replicas",
  /** On the object whose scale is zero: a person stopped it, so no request starts it. */
  stopped: "trivium.dev/stopped",
  /** Written on a Service: a JSON list of the names that its servers list, for the time when none of them runs. */
  listedModels: "trivium.dev/listed-models",
  /** On a Service: why nobody is to be woken for it, in words for the caller. */
  closed: "trivium.dev/closed",
  /** On a Service: how replicas are picked; `prefix` or `least`. */
  balance: "trivium.dev/balance",
} as const;

export function annotationOf(object: KubeObject | undefined, name: keyof typeof annotations): string | undefined {
  return object?.metadata.annotations?.[annotations[name]];
}

export function aliasesOf(object: KubeObject | undefined): string[] {
  const text = annotationOf(object, "models") ?? "";
  return text.split(",").flatMap((name) => name.trim() || []);
}

/** Whether a Service is for others behind it, and is not to be offered to callers. */
export const isBackstage = (service: KubeObject): boolean => annotationOf(service, "models")?.trim() === "";

/** A timeout that cannot be read, or is not above zero, is none: nothing is put to zero by a slip of the pen. */
export function idleTimeoutOf(object: KubeObject | undefined): number | undefined {
  const timeout = parseDuration(annotationOf(object, "idleTimeout") ?? "");
  return timeout !== undefined && timeout > 0 ? timeout : undefined;
}
