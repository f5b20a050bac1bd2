import { type Condition, groupResourceOf } from "@trivium/kube";
import type { Decision, Desired } from "@trivium/reconcile";
import { cloneJson, type Fact, isObject, type Json } from "@trivium/std";

/** What a decision comes to, apart from things that a law allows to differ: the order of children, the times of conditions. */
export function essence(decision: Decision<unknown>): Json {
  if (decision.do === "release") return { do: "release" };
  const notes = (decision.notes ?? []) as unknown as Json;
  const head = { do: decision.do, status: withoutTimes(decision.status), notes: cloneJson(notes) };
  if (decision.do === "hold") return head;
  const children = Object.fromEntries(
    decision.children.map((child) => [childName(child), cloneJson(child.object) as unknown as Json]),
  );
  return { ...head, children };
}

export function childName({ kind, object }: Desired): string {
  return `${groupResourceOf(kind)} ${object.metadata.namespace ?? ""}/${object.metadata.name}`;
}

export function conditionsOf(decision: Decision<unknown>): readonly Condition[] {
  if (decision.do === "release" || !isObject(decision.status)) return [];
  const { conditions } = decision.status;
  return Array.isArray(conditions) ? (conditions as unknown as Condition[]) : [];
}

/** The runtime sets the times of conditions, whatever the decision says. */
export function withoutTimes(status: unknown): Json {
  if (!isObject(status)) return (status ?? null) as Json;
  if (!Array.isArray(status.conditions)) return cloneJson(status);
  const conditions = status.conditions.map((condition) => {
    if (!isObject(condition)) return condition;
    const { lastTransitionTime: _, ...rest } = condition;
    return rest;
  });
  return { ...cloneJson(status), conditions: cloneJson(conditions) };
}

export function isFact(value: unknown): value is Fact<unknown> {
  if (!isObject(value)) return false;
  if (value.is === "absent" || value.is === "pending") return Object.keys(value).length === 1;
  return (value.is === "known" && "value" in value) || (value.is === "unreachable" && typeof value.why === "string");
}

/** Walks a value and offers each part with its path; what `change` returns takes its place in a copy, made for that part alone. */
export function* variants(
  value: unknown,
  change: (part: unknown, path: string) => readonly unknown[],
  path = "",
): Generator<{ readonly path: string; readonly value: unknown }> {
  for (const replacement of change(value, path)) yield { path, value: replacement };
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) {
      for (const inner of variants(item, change, `${path}[${i}]`))
        yield { path: inner.path, value: value.with(i, inner.value) };
    }
  } else if (typeof value === "object" && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      const at = path === "" ? key : `${path}.${key}`;
      for (const inner of variants(item, change, at))
        yield { path: inner.path, value: { ...value, [key]: inner.value } };
    }
  }
}
