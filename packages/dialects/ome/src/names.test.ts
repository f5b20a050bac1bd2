import assert from "node:assert/strict";
import { test } from "node:test";
import {
  faultsOfConfigKey,
  faultsOfDns1035Label,
  faultsOfDnsLabel,
  faultsOfLabelKey,
  faultsOfLabelValue,
} from "@trivium/std";
import fc from "fast-check";
import { labelValueOf, modelKeyOf, modelLabelOf, serviceNameOf, volumeNameOf } from "./names.ts";

const part = fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,70}[a-z0-9])?$/);
const name = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join("."));
const namespace = part.filter((text) => text.length <= 63);

test("short names are kept as they are", () => {
  assert.equal(modelLabelOf({ name: "llama-3" }), "models.ome.io/clusterbasemodel.llama-3");
  assert.equal(modelLabelOf({ namespace: "team", name: "llama-3" }), "models.ome.io/team.basemodel.llama-3");
  assert.equal(modelKeyOf({ name: "llama-3" }), "clusterbasemodel.llama-3");
  assert.equal(modelKeyOf({ namespace: "team", name: "llama-3" }), "team.basemodel.llama-3");
});

test("a long name becomes eight hex digits and its end", () => {
  const label = modelLabelOf({ name: "meta-llama-3-3-70b-instruct-fp8-dynamic" });
  assert.match(label, /^models\.ome\.io\/clusterbasemodel\.[0-9a-f]{8}-[a-z0-9.-]+$/);
  assert.ok(label.endsWith("70b-instruct-fp8-dynamic".slice(-23)));
  assert.notEqual(label, modelLabelOf({ name: "other-llama-3-3-70b-instruct-fp8-dynamic" }));
});

test("whatever the names, labels, keys and names of Services and volumes are good ones", () => {
  fc.assert(
    fc.property(name, namespace, (model, space) => {
      assert.deepEqual(faultsOfLabelKey(modelLabelOf({ name: model })), []);
      assert.deepEqual(faultsOfLabelKey(modelLabelOf({ namespace: space, name: model })), []);
      assert.deepEqual(faultsOfConfigKey(modelKeyOf({ name: model })), []);
      assert.deepEqual(faultsOfConfigKey(modelKeyOf({ namespace: space, name: model })), []);
      assert.deepEqual(faultsOfDnsLabel(volumeNameOf(model)), []);
      assert.deepEqual(faultsOfDns1035Label(serviceNameOf(`a${space}-engine`)), []);
    }),
    { numRuns: 50 },
  );
});

test("any text can be the value of a label", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 100 }), (text) => assert.deepEqual(faultsOfLabelValue(labelValueOf(text)), [])),
  );
});

test("models that differ only in dots and dashes have volumes of their own", () => {
  assert.notEqual(volumeNameOf("a.b"), volumeNameOf("a-b"));
});
