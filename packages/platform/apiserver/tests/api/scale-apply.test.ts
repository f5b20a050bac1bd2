import assert from "node:assert/strict";
import { test } from "node:test";
import { definitions, startApi, widget, widgetDefinition, widgets } from "./harness.ts";

const deployments = "/apis/apps/v1/namespaces/default/deployments";
const deployment = {
  metadata: { name: "d" },
  spec: {
    replicas: 2,
    selector: { matchLabels: { a: "b" } },
    template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "m", image: "i" }] } },
  },
};
const scaleTo = (name: string, replicas: number) => ({
  apiVersion: "autoscaling/v1",
  kind: "Scale",
  metadata: { name },
  spec: { replicas },
});

type Entry = {
  manager: string;
  operation: string;
  subresource?: string;
  time?: string;
  fieldsV1: Record<string, Record<string, unknown>>;
};
const ownersOfReplicas = (entries: Entry[]) =>
  entries.filter(({ fieldsV1 }) => fieldsV1["f:spec"]?.["f:replicas"]).map(({ manager }) => manager);

test("replicas of a Deployment are handed over by applying its Scale, as on a real server", async () => {
  const { post, patch, get } = await startApi();
  await post(`${deployments}?fieldManager=maker`, deployment);
  const path = `${deployments}/d/scale`;
  const refused = await patch(`${path}?fieldManager=hpa`, scaleTo("d", 5), "apply");
  assert.equal(refused.status, 409);
  assert.equal(
    refused.failure.message,
    'Apply failed with 1 conflict: conflict with "maker" using autoscaling/v1: .spec.replicas',
  );
  const forced = await patch(`${path}?fieldManager=hpa&force=true`, scaleTo("d", 5), "apply");
  assert.deepEqual([forced.status, forced.json.kind, forced.json.spec], [200, "Scale", { replicas: 5 }]);
  assert.equal(forced.json.metadata.managedFields, undefined);
  const [first, second] = (await get(`${deployments}/d`)).json.metadata.managedFields;
  assert.deepEqual(first, {
    manager: "hpa",
    operation: "Apply",
    apiVersion: "apps/v1",
    fieldsType: "FieldsV1",
    fieldsV1: { "f:spec": { "f:replicas": {} } },
    subresource: "scale",
  });
  assert.equal(second.manager, "maker");
  assert.equal(second.fieldsV1["f:spec"]["f:replicas"], undefined);
  assert.equal((await patch(`${path}?fieldManager=hpa`, scaleTo("d", 6), "apply")).json.spec.replicas, 6);
});

test("who writes a Scale in another way takes the replicas over", async () => {
  const { post, patch, put, get } = await startApi();
  await post(`${deployments}?fieldManager=maker`, deployment);
  const path = `${deployments}/d/scale`;
  await patch(`${path}?fieldManager=hpa&force=true`, scaleTo("d", 5), "apply");
  await patch(`${path}?fieldManager=merger`, { spec: { replicas: 7 } });
  const entries = async () => (await get(`${deployments}/d`)).json.metadata.managedFields as Entry[];
  assert.deepEqual(ownersOfReplicas(await entries()), ["merger"]);
  await put(`${path}?fieldManager=putter`, scaleTo("d", 9));
  const [own] = await entries();
  assert.deepEqual(
    [own?.manager, own?.operation, own?.subresource, own?.time],
    ["putter", "Update", "scale", undefined],
  );
  assert.deepEqual(ownersOfReplicas(await entries()), ["putter"]);
  const strategic = await patch(`${path}?fieldManager=s`, { spec: { replicas: 1 } }, "strategic");
  assert.equal(strategic.json.spec.replicas, 1);
});

test("an applied Scale of a custom resource writes the path that its CRD names", async () => {
  const { post, patch, get } = await startApi();
  await post(definitions, widgetDefinition());
  await post(`${widgets}?fieldManager=maker`, widget("w", { size: 1, replicas: 2 }));
  assert.equal((await patch(`${widgets}/w/scale?fieldManager=hpa`, scaleTo("w", 4), "apply")).status, 409);
  assert.equal((await patch(`${widgets}/w/scale?fieldManager=hpa&force=true`, scaleTo("w", 4), "apply")).status, 200);
  const { spec, metadata } = (await get(`${widgets}/w`)).json;
  assert.equal(spec.replicas, 4);
  assert.deepEqual(ownersOfReplicas(metadata.managedFields), ["hpa"]);
});

test("an applied Scale must be one, of the object in the path, with nothing else in it", async () => {
  const { post, patch } = await startApi();
  await post(deployments, deployment);
  const message = async (body: object, name = "d") =>
    (await patch(`${deployments}/${name}/scale?fieldManager=hpa&force=true`, body, "apply")).failure.message;
  assert.equal(
    await message({ ...deployment, apiVersion: "apps/v1", kind: "Deployment" }),
    "invalid object type: apps/v1, Kind=Deployment",
  );
  assert.equal(await message(scaleTo("x", 1)), "the name of the object (x) does not match the name on the URL (d)");
  assert.equal(
    await message({ ...scaleTo("d", 1), spec: { replicas: 1, foo: 1 } }),
    "failed to create typed patch object (/d; autoscaling/v1, Kind=Scale): .spec.foo: field not declared in schema",
  );
  assert.equal(
    await message(scaleTo("d", -1)),
    'Scale.autoscaling "d" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
  );
  assert.equal(await message(scaleTo("none", 1), "none"), 'deployments.apps "none" not found');
});
