import assert from "node:assert/strict";
import { test } from "node:test";
import { growthOfKind, podWorlds, untriedKinds } from "@trivium/testkit";
import { AIMService, createAim } from "../src/index.ts";
import { answers, growthKinds, prepare } from "./growth-objects.ts";

const { kinds: all, reconcilers } = createAim();
const operator = { kinds: all, reconcilers, answers, prepare };

test("growth is tried for every kind", () => {
  // Services have tests of their own, in growth.test.ts.
  assert.deepEqual(untriedKinds(all, Object.values(growthKinds), [AIMService]), []);
});

for (const [name, objectsOf] of Object.entries(growthKinds))
  for (const world of podWorlds)
    test(`growth: the change of one of many ${name}, ${world}, triggers its dependants only`, async () => {
      assert.deepEqual(await growthOfKind(operator, objectsOf, world), []);
    });
