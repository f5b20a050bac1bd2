import assert from "node:assert/strict";
import { test } from "node:test";
import type { AnyObject } from "@trivium/kube";
import { plainStatusGuide } from "@trivium/reconcile";
import { explainSections } from "./sections.ts";
import { createStatusReader } from "./status-reader.ts";

const guide = { ...plainStatusGuide, meanings: { ...plainStatusGuide.meanings, action: ["Invalid", "NotFound"] } };
const reader = createStatusReader([{ group: "a.dev", statusGuide: guide }]);
const conditionOf = (type: string, status: string, reason: string) => ({ type, status, reason, message: reason });
const objectOf = (name: string, status: object): AnyObject =>
  ({ apiVersion: "a.dev/v1", kind: "Service", metadata: { name, namespace: "team" }, status }) as never;
function headlineOf(object: AnyObject, ...uses: AnyObject[]): string {
  const gathered = { object, uses, missing: [], parts: [], warnings: [], explanation: {} };
  return explainSections(gathered as never, reader, 0).headline.replace("Service team/s (a.dev) ", "");
}

test("the first line of explain does not contradict itself with a word of the object's own API", () => {
  const notFound = objectOf("m", { conditions: [conditionOf("Ready", "False", "NotFound")] });
  const waiting = objectOf("s", { phase: "Pending", conditions: [conditionOf("Ready", "False", "Waiting")] });
  assert.equal(headlineOf(waiting), "is progressing: Pending");
  assert.equal(headlineOf(waiting, notFound), "is not ready and needs action: Failed");
  const failed = objectOf("s", { conditions: [conditionOf("Ready", "False", "NotFound")] });
  assert.equal(headlineOf(failed), "is not ready and needs action: Failed (NotFound)");
  const conditions = [conditionOf("Ready", "True", "Ready"), conditionOf("SpecAccepted", "False", "Invalid")];
  assert.equal(headlineOf(objectOf("s", { phase: "Ready", conditions })), "is serving and needs action: Degraded");
});
