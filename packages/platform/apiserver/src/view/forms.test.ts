import assert from "node:assert/strict";
import { test } from "node:test";
import { negotiate } from "./forms.ts";

const as = (accept: string | undefined) => {
  const { as, encoding, metaVersion } = negotiate(accept);
  return `${as} ${encoding} ${metaVersion}`;
};

test("the first form that can be given is given", () => {
  assert.equal(as(undefined), "object json v1");
  assert.equal(as("*/*"), "object json v1");
  assert.equal(
    as(
      "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json",
    ),
    "table json v1",
  );
  assert.equal(
    as("application/json;as=Table;v=v2;g=meta.k8s.io, application/json;as=Table;v=v1beta1;g=meta.k8s.io"),
    "table json v1beta1",
  );
  assert.equal(as("application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"), "partial-list json v1");
  assert.equal(as("application/vnd.kubernetes.protobuf, application/yaml"), "object yaml v1");
  assert.equal(as("application/json;q=0, application/yaml"), "object yaml v1");
});

test("what nobody gives is refused", () => {
  for (const accept of [
    "text/html",
    "application/json;as=Chart;v=v1;g=meta.k8s.io",
    "application/vnd.kubernetes.protobuf",
  ]) {
    const message = /^(only the following media types are accepted|406: Not Acceptable)/;
    assert.throws(() => negotiate(accept), { message }, accept);
  }
});
