import assert from "node:assert/strict";
import { test } from "node:test";
import type { AdmissionPort } from "@trivium/apiserver";
import type { AdmittedWrite } from "../../src/ports.ts";
import { configMaps, startApi } from "./harness.ts";

const colour = "garden/colour";
const requestOf = ({ object }: AdmittedWrite) => object.metadata.annotations?.[colour];

/** Paints what has no colour red, refuses blue, and warns of whatever is deleted. */
const painter: AdmissionPort = {
  fill: ({ kind }, write) => {
    const { object } = write;
    if (kind !== "ConfigMap" || requestOf(write) !== undefined) return object;
    const annotations = { ...object.metadata.annotations, [colour]: "red" };
    return { ...object, metadata: { ...object.metadata, annotations } };
  },
  judge: ({ kind }, write) => {
    const { verb, old } = write;
    const isBlue = kind === "ConfigMap" && verb !== "delete" && requestOf(write) === "blue";
    const field = `metadata.annotations[${colour}]`;
    return {
      faults: isBlue ? [{ reason: "FieldValueInvalid", field, value: "blue", detail: "is out of season" }] : [],
      warnings: kind !== "ConfigMap" ? [] : [`${verb}${old === undefined ? "" : " of what was there"}`],
    };
  },
};

test("what is left out is filled in, and nobody owns it", async () => {
  const { post, patch } = await startApi({ admission: painter });
  const made = await post(configMaps, { metadata: { name: "a" }, data: { x: "1" } });
  assert.deepEqual(made.object.metadata.annotations, { [colour]: "red" });
  assert.deepEqual(made.warnings, ['299 - "create"']);
  assert.doesNotMatch(JSON.stringify(made.object.metadata.managedFields), /annotations/);
  const taken = await patch(`${configMaps}/a`, { metadata: { annotations: null } }, "merge");
  assert.deepEqual(taken.object.metadata.annotations, { [colour]: "red" });
});

test("what is found fault with is not stored, whichever verb brings it", async () => {
  const { send, post, put, patch, get } = await startApi({ admission: painter });
  const blue = { metadata: { name: "a", annotations: { [colour]: "blue" } } };
  const refused = await post(configMaps, blue);
  assert.equal(refused.status, 422);
  const why = `metadata.annotations[${colour}]: Invalid value: "blue": is out of season`;
  assert.equal(refused.failure.message, `ConfigMap "a" is invalid: ${why}`);
  assert.equal((await get(`${configMaps}/a`)).status, 404);
  await post(configMaps, { metadata: { name: "a" } });
  const applied = { apiVersion: "v1", kind: "ConfigMap", ...blue };
  const headers = { "content-type": "application/apply-patch+yaml" };
  const answers = [
    await put(`${configMaps}/a`, blue),
    await patch(`${configMaps}/a`, { metadata: blue.metadata }, "merge"),
    await send("PATCH", `${configMaps}/a?fieldManager=x&force=true`, applied, headers),
  ];
  assert.deepEqual(
    answers.map(({ status }) => status),
    [422, 422, 422],
  );
  assert.equal((await get(`${configMaps}/a`)).object.metadata.annotations?.[colour], "red");
});

test("warnings come with changes and deletions; a trial is judged like the real thing", async () => {
  const { post, put, remove, get } = await startApi({ admission: painter });
  await post(configMaps, { metadata: { name: "a" } });
  const changed = await put(`${configMaps}/a`, { metadata: { name: "a" }, data: { x: "2" } });
  assert.deepEqual(changed.warnings, ['299 - "update of what was there"']);
  const dry = await post(`${configMaps}?dryRun=All`, { metadata: { name: "b", annotations: { [colour]: "blue" } } });
  assert.equal(dry.status, 422);
  const gone = await remove(`${configMaps}/a`);
  assert.deepEqual([gone.status, gone.warnings], [200, ['299 - "delete"']]);
  assert.equal((await get(`${configMaps}/a`)).status, 404);
});
