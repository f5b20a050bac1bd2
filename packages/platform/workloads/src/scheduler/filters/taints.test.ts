import assert from "node:assert/strict";
import { test } from "node:test";
import type { Taint, Toleration } from "@trivium/kube";
import { tolerates, unwelcomeTaints } from "./taints.ts";

const taint: Taint = { key: "dedicated", value: "models", effect: "NoSchedule" };
/** As programs write it that print every field. */
const blank = { operator: "", effect: "" } as unknown as Toleration;

test("an empty effect means every effect, and an empty operator Equal", () => {
  assert.equal(tolerates({ ...blank, key: "dedicated", value: "models" }, taint), true);
  assert.equal(tolerates({ ...blank, key: "dedicated", value: "others" }, taint), false);
  assert.equal(tolerates({ key: "dedicated", value: "models" }, { ...taint, effect: "NoExecute" }), true);
});

test("an empty effect tolerates taints that only ask to stay away", () => {
  const soft: Taint = { ...taint, effect: "PreferNoSchedule" };
  assert.equal(unwelcomeTaints([soft], [{ ...blank, key: "dedicated", value: "models" }]), 0);
  assert.equal(unwelcomeTaints([soft], [{ key: "dedicated", value: "models", effect: "NoSchedule" }]), 1);
});
