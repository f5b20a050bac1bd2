import assert from "node:assert/strict";
import { test } from "node:test";
import { configMap, configMaps, startApi } from "./harness.ts";

const yaml = { "content-type": "application/yaml" };
const long = "x".repeat(200_000);

test("a long body must be JSON, and may then be called YAML too", async () => {
  const { send, patch } = await startApi();
  const head = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";
  const refused = await send("POST", configMaps, `${head}data:\n  a: ${long}\n`, yaml);
  assert.deepEqual([refused.status, refused.failure.reason], [413, "RequestEntityTooLarge"]);
  assert.match(refused.failure.message ?? "", /may have 131072 characters, this one has 2000\d\d; send it as JSON/);
  const applied = await patch(`${configMaps}/a?fieldManager=m`, `${head}data:\n  a: ${long}\n`, "apply");
  assert.equal(applied.status, 413);
  assert.equal((await send("POST", configMaps, JSON.stringify(configMap("a", { data: { long } })), yaml)).status, 201);
  const text = JSON.stringify(configMap("b", { data: { long } }));
  assert.equal((await patch(`${configMaps}/b?fieldManager=m`, text, "apply")).status, 201);
});

test("a body of many keys is read in one pass, and keys given twice are told with their lines", async () => {
  const { send } = await startApi();
  const keys = Array.from({ length: 5000 }, (_, index) => `  key${index}: value`);
  const body = ["apiVersion: v1", "kind: ConfigMap", "metadata: {name: a, name: a}", "data:", ...keys, "  key7: again"];
  const made = await send("POST", `${configMaps}?fieldValidation=Warn`, body.join("\n"), yaml);
  assert.equal(made.status, 201, made.text);
  assert.equal(made.json.data.key7, "again");
  assert.match(made.warnings.join(), /line 3: key \\"name\\" already set in map/);
  assert.match(made.warnings.join(), /line 5005: key \\"key7\\" already set in map/);
  const strict = await send("POST", `${configMaps}?fieldValidation=Strict`, body.join("\n"), yaml);
  assert.equal(strict.status, 400);
});
