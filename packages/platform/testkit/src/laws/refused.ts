import type { Decision, Refusal } from "@trivium/reconcile";
import { cloneJson, deepEqual, type Json } from "@trivium/std";
import type { Law, Trial } from "./law.ts";
import { undeclared } from "./reasons.ts";
import { conditionsOf } from "./shape.ts";

/** When the API server refuses a child, the status says so: the child, what the server objects to, and what to do. */
export const refused: Law = (trial) => {
  const decision = trial.decide();
  if (trial.isPlain || decision.do !== "converge") return [];
  const children = decision.children.filter(({ keep }) => !keep);
  if (children.length > 0 && trial.refused === undefined)
    return ["has children and no `refused`: a child that the API server refuses would be invisible"];
  return children.flatMap(({ kind, object }) =>
    answers.flatMap((answer) => {
      const refusal: Refusal = { ...answer, child: { kind: kind.kind, name: object.metadata.name ?? "" } };
      return faultsOf(trial, decision.status, refusal).map(
        (what) => `${kind.kind} refused (${answer.reason}): ${what}`,
      );
    }),
  );
};

const planted = "planted-objection";

const answers: readonly Omit<Refusal, "child">[] = [
  {
    reason: "Invalid",
    code: 422,
    message: `is invalid: spec.template.spec.containers[0].resources: ${planted}`,
    causes: [{ field: "spec.template.spec.containers[0].resources", message: planted }],
  },
  {
    reason: "Forbidden",
    code: 403,
    message: `exceeded quota: ${planted}, requested: pods=1, used: pods=9`,
    causes: [],
  },
  {
    reason: "Forbidden",
    code: 403,
    message: `violates PodSecurity "baseline:latest": ${planted}`,
    causes: [{ field: "spec.template.spec.volumes[0].hostPath", message: planted }],
    podSecurity: { level: "baseline", from: "namespace" },
  },
  { reason: "", code: 400, message: `admission webhook "w.example" denied the request: ${planted}`, causes: [] },
];

function faultsOf(
  { refused: raise, case: { object, now }, words }: Trial,
  decided: unknown,
  refusal: Refusal,
): string[] {
  if (raise === undefined) return [];
  const status = cloneJson((decided ?? {}) as Json);
  const before = cloneJson(status);
  const found = raise(object, status, [refusal], now);
  const again = raise(object, status, [refusal], now);
  const decision = { do: "hold", status: found } as Decision<unknown>;
  const messages = messagesIn(found).filter((message) => message.includes(planted));
  return [
    ...(deepEqual(status, before) && deepEqual(cloneJson(found as Json), cloneJson(again as Json))
      ? []
      : ["`refused` is not pure"]),
    ...(messages.length === 0 ? ["the status does not say what the server objects to"] : []),
    ...messages.flatMap((message) => (message.includes(refusal.child.name) ? [] : [`no child is named: ${message}`])),
    ...messages.flatMap((message) => (/; \S/.test(message) ? [] : [`no remedy is given: ${message}`])),
    ...undeclared(conditionsOf(decision), words),
  ];
}

/** Every text of a status. */
function messagesIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(messagesIn);
}
