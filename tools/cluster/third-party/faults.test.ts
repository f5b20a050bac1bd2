import assert from "node:assert/strict";
import test from "node:test";
import type { Status, StatusCause } from "@trivium/kube";
import { faultsOfStatus } from "./faults.ts";

const refusal = (message: string, causes?: StatusCause[]): Status => ({
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Failure",
  message,
  ...(causes === undefined ? {} : { details: { causes } }),
});

test("causes name their fields; one without a field is of the whole object", () => {
  const causes = [{ field: "spec.a", message: "Required value" }, { field: "<nil>", message: "Invalid value" }, {}];
  assert.deepEqual(faultsOfStatus(refusal("all of it", causes)), [
    { field: "spec.a", message: "Required value" },
    { message: "Invalid value" },
    { message: "all of it" },
  ]);
});

test("the sentence of a strict decoder is a list, and names may hold commas and quotes", () => {
  const sentence =
    'X in version "v1" cannot be handled as a X: strict decoding error: unknown field "spec.a", ' +
    String.raw`duplicate field "spec.labels[\"b, c\"]", unknown field "metadata.d"`;
  assert.deepEqual(faultsOfStatus(refusal(sentence)), [
    { field: "spec.a", message: "unknown field" },
    { field: String.raw`spec.labels[\"b, c\"]`, message: "duplicate field" },
    { field: "metadata.d", message: "unknown field" },
  ]);
});

test("an apply that the schema does not know names the field with a dot in front", () => {
  const sentence =
    "failed to create typed patch object (a/b; v1, Kind=ConfigMap): .spec.list[0].bogus: field not declared in schema";
  assert.deepEqual(faultsOfStatus(refusal(sentence)), [
    { field: "spec.list[0].bogus", message: "field not declared in schema" },
  ]);
});

test("what cannot be taken apart is kept whole", () => {
  assert.deepEqual(faultsOfStatus(refusal("no such namespace")), [{ message: "no such namespace" }]);
  assert.deepEqual(faultsOfStatus(refusal("strict decoding error: something else")), [{ message: "something else" }]);
});
