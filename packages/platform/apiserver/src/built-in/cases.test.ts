import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type AnyObject, ApiError } from "@trivium/kube";
import type { Json } from "@trivium/std";
import { parse } from "yaml";
import { invalid } from "../refusals.ts";
import type { Resource, StrategyContext } from "../resource.ts";
import { builtInResources } from "./index.ts";

const resources = new Map(builtInResources().map((one) => [`${one.group}/${one.version}/${one.kind}`, one]));

function resourceOf({ apiVersion, kind }: AnyObject): Resource {
  const [group, version] = apiVersion.includes("/") ? apiVersion.split("/") : ["", apiVersion];
  const resource = resources.get(`${group}/${version}/${kind}`);
  assert.ok(resource, `${apiVersion} ${kind} is served`);
  return resource;
}

function read<T>(name: string): T[] {
  return parse(readFileSync(join(import.meta.dirname, "cases", `${name}.yaml`), "utf8")) as T[];
}

const title = (object: AnyObject): string => `${object.kind} ${object.metadata.name}`;

/** Gives out what the recorded server gave out. */
function recordedContext(stored?: AnyObject): StrategyContext {
  const spec = (stored?.spec ?? {}) as { clusterIP?: string; ports?: { nodePort?: number }[] };
  const ports = (spec.ports ?? []).flatMap(({ nodePort }) => (nodePort === undefined ? [] : [nodePort]));
  const conditions = (stored?.status as { conditions?: { lastTransitionTime?: string }[] } | undefined)?.conditions;
  const changed = (stored?.status as { lastPhaseTransitionTime?: string } | undefined)?.lastPhaseTransitionTime;
  return {
    now: Date.parse(conditions?.[0]?.lastTransitionTime ?? changed ?? "2026-01-01T00:00:00Z"),
    allocateClusterIp: (wanted) => wanted ?? spec.clusterIP ?? "10.0.0.1",
    allocateNodePort: (wanted) => wanted ?? ports.shift() ?? 30000,
  };
}

function admit(resource: Resource, object: AnyObject, context: StrategyContext): void {
  resource.strategy.prune(object);
  if (resource.subresources.status && resource.strategy.keepsStatusOnCreate !== true) delete object.status;
  resource.strategy.applyDefaults(object);
  resource.strategy.prepareForCreate?.(object, context);
}

for (const { given, stored, uid } of read<{ given: AnyObject; stored: AnyObject; uid: string }>("defaults")) {
  test(`stored as the real server stores it: ${title(given)}`, () => {
    const resource = resourceOf(given);
    const object = structuredClone(given);
    object.metadata.uid = uid;
    if (resource.namespaced) object.metadata.namespace = "builtin";
    admit(resource, object, recordedContext(stored));
    assert.deepEqual(resource.strategy.validate(object), []);
    const { uid: _, namespace: __, ...metadata } = object.metadata;
    assert.deepEqual({ ...object, metadata }, stored);
  });

  test(`filling in twice changes nothing: ${title(given)}`, () => {
    const resource = resourceOf(given);
    const object = structuredClone(stored);
    assert.deepEqual(resource.strategy.prune(object), []);
    resource.strategy.applyDefaults(object, stored);
    assert.deepEqual(object, stored);
  });
}

const uid = "11111111-2222-3333-4444-555555555555";

for (const [index, { given, message }] of read<{ given: AnyObject; message: string }>("faults").entries()) {
  test(`refused in the words of the real server: ${title(given)} (${index})`, () => {
    const resource = resourceOf(given);
    const object = structuredClone(given);
    object.metadata.uid = uid;
    if (resource.namespaced) object.metadata.namespace = "builtin";
    assert.equal(
      answerTo(resource, object, () => {
        admit(resource, object, recordedContext());
        return resource.strategy.validate(object);
      }),
      message,
    );
  });
}

for (const [index, { old, next, message }] of read<{ old: AnyObject; next: AnyObject; message: string }>(
  "changes",
).entries()) {
  test(`changes are judged as by the real server: ${title(old)} (${index})`, () => {
    const resource = resourceOf(old);
    const object = structuredClone(next);
    const answer = answerTo(resource, object, () => {
      resource.strategy.prune(object);
      resource.strategy.applyDefaults(object, old);
      resource.strategy.prepareForUpdate?.(object, old, recordedContext());
      return resource.strategy.validate(object, old);
    });
    assert.equal(answer, message);
  });
}

function answerTo(
  resource: Resource,
  object: AnyObject,
  judge: () => ReturnType<Resource["strategy"]["validate"]>,
): string {
  try {
    const faults = judge();
    return faults.length === 0 ? "(valid)" : (invalid(resource, object.metadata.name ?? "", faults).message ?? "");
  } catch (error) {
    if (error instanceof ApiError) return error.message;
    throw error;
  }
}

for (const { object, now, cells } of read<{ object: AnyObject; now: number; cells: Record<string, Json> }>("tables")) {
  test(`shown as the real server shows it: ${title(object)}`, () => {
    const resource = resourceOf(object);
    const shown = resource.cells(object, now);
    const named = resource.columns
      .map((column, index) => [column.name, shown[index]])
      .filter(([name]) => name !== "Age");
    assert.deepEqual(Object.fromEntries(named), cells);
  });
}
