import assert from "node:assert/strict";
import { test } from "node:test";
import { apiVersionOf, type DefinedKind } from "@trivium/kube";
import type { JsonObject } from "@trivium/std";
import { growthOfKind, type NamedLater, type ObjectsOf, podWorlds, untriedKinds } from "@trivium/testkit";
import { EaiService } from "../src/eai/kinds.ts";
import { toNewer } from "../src/eai/objects.ts";
import { AIMService, createAimEai } from "../src/index.ts";
import { answers, growthKinds, prepare } from "./growth-objects.ts";

/** The kinds of the newer group: each object of the older one under its new name, and services. */
const { kinds: all, reconcilers } = createAimEai();
const operator = { kinds: all, reconcilers, answers, prepare };

const newerOf = ({ kind, spec }: NamedLater): NamedLater => {
  const older = { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata: { name: "any" }, spec };
  const newer = toNewer(older) as typeof older & { readonly spec: JsonObject };
  return { kind: all.find((one) => one.kind === newer.kind) as DefinedKind, spec: newer.spec };
};

const newerKinds: Readonly<Record<string, ObjectsOf>> = Object.fromEntries(
  Object.entries(growthKinds)
    .filter(([, objectsOf]) => objectsOf("any").every((each) => newerOf(each).kind !== undefined))
    .map(([name, objectsOf]) => [name, (each: string) => objectsOf(each).map(newerOf)]),
);
const objects: Readonly<Record<string, ObjectsOf>> = {
  ...newerKinds,
  services: (name) => [
    ...(newerKinds.templates as ObjectsOf)(name),
    newerOf({ kind: AIMService, spec: { model: { ref: name } } }),
  ],
};

test("growth is tried for every kind", () => {
  assert.deepEqual(untriedKinds(all, Object.values(objects)), []);
  assert.equal(objects.services?.("any").at(-1)?.kind, EaiService);
});

for (const [name, objectsOf] of Object.entries(objects))
  for (const world of podWorlds)
    test(`growth: the change of one of many ${name} of the newer group, ${world}, triggers its dependants only`, async () => {
      assert.deepEqual(await growthOfKind(operator, objectsOf, world), []);
    });
