import type { RuleName } from "./rules.ts";

/** A place that breaks a rule for now, or for good. One that keeps it must leave the table. */
export interface Exception {
  /** The size of a folder has no exception. */
  readonly rule: Exclude<RuleName, "folder">;
  readonly place: string;
  readonly why: string;
}

const foreign = (place: string, whose: string): Exception => ({
  rule: "message",
  place,
  why: `reads a message of ${whose}`,
});
const health = (file: string, whose: string) => foreign(`packages/core/engines/src/health/${file}.ts`, whose);
const ownMessage = (place: string, why: string): Exception => ({ rule: "message", place, why });

export const exceptions: readonly Exception[] = [
  health("diagnosis/classify-image", "the kubelet on pulling an image"),
  health("diagnosis/describe-unschedulable", "the scheduler"),
  health("diagnosis/diagnose", "the kubelet on a container that cannot start"),
  health("find-failure", "the scheduler and the kubelet on volumes"),
  health("pods/read-missing", "the kubelet on a missing Secret or ConfigMap"),
  health("pods/read-probe", "the kubelet on a probe"),
  health("pods/read-refusal", "the API server"),
  foreign("packages/dialects/aim/src/model-cache/health/claim-fault.ts", "a provisioner of volumes"),
  foreign("packages/dialects/aim/src/service/scaling/judge-scaling.ts", "the autoscaler of Kubernetes and KEDA"),
  foreign("packages/platform/runtime/src/apply/refusal.ts", "the API server on a webhook"),
  foreign("packages/platform/probes/src/object-warnings.ts", "the kubelet and controllers, in events"),
  foreign("packages/platform/engine/src/api/chat-request.ts", "llama.cpp"),
  foreign("packages/platform/apiserver/src/body/body.ts", "the JSON parser of JavaScript"),
  ownMessage("packages/base/schema/src/structural/keywords.ts", "checks the message that a user wrote into a CRD"),
  ownMessage("packages/platform/testkit/src/laws/refused.ts", "a law looks for a planted text in a status"),
  ownMessage("packages/platform/testkit/src/laws/remedy.ts", "a law looks at how a message is written"),
  {
    rule: "object",
    place: "packages/dialects/llmkube/src/inference-service/roles/disruption.ts",
    why: "one annotation of a pod that is not a child: a patch",
  },
];

/** Faults without an exception, and exceptions without a fault. */
export function judgeFaults(
  faults: readonly { rule: RuleName; place: string; what: string }[],
  allowed: readonly Exception[] = exceptions,
): string[] {
  const isSame = (a: { rule: string; place: string }, b: { rule: string; place: string }) =>
    a.rule === b.rule && a.place === b.place;
  const open = faults.filter((fault) => !allowed.some((one) => isSame(one, fault)));
  const spent = allowed.filter((one) => !faults.some((fault) => isSame(one, fault)));
  return [
    ...open.map(({ rule, place, what }) => `${place}: ${what} (rule "${rule}")`),
    ...spent.map(({ rule, place }) => `${place} keeps rule "${rule}"; remove it from scripts/structure/exceptions.ts`),
  ];
}
