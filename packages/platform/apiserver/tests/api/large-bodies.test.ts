import assert from "node:assert/strict";
import { it } from "node:test";
import { startApi } from "./harness.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";
const keys = Object.fromEntries(Array.from({ length: 19_000 }, (_, at) => [`key-${at}`, "some value"]));
const large = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: keys });

it("lets requests that came later pass those with large bodies", async () => {
  const { get, post, patch } = await startApi();
  const order: string[] = [];
  const note = async (name: string, answer: Promise<{ status: number }>) => {
    const { status } = await answer;
    order.push(`${name} ${status}`);
  };
  const writing = [
    note("create", post(configMaps, large("a"))),
    note("create", post(configMaps, large("b"))),
    note("apply", patch(`${configMaps}/c?fieldManager=test`, large("c"), "apply")),
  ];
  await note("get", get("/api/v1/namespaces/default"));
  assert.deepEqual(order, ["get 200"]);
  // One body after the other: in each pause between them another client is answered.
  while (order.length < 5) await note("get", get("/api/v1/namespaces/default"));
  await Promise.all(writing);
  assert.equal(order.filter((entry) => entry === "create 201").length, 2);
  assert.equal(order.filter((entry) => entry === "apply 201").length, 1);
});

it("sees the definition that is served when the body has been read", async () => {
  const { api, get, post, remove } = await startApi();
  const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const definition = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "bags.large.example.dev" },
    spec: {
      group: "large.example.dev",
      scope: "Namespaced",
      names: { plural: "bags", kind: "Bag", singular: "bag", listKind: "BagList" },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  };
  assert.equal((await post(crds, definition)).status, 201);
  await api.idle();
  const bags = "/apis/large.example.dev/v1/namespaces/default/bags";
  const bag = { apiVersion: "large.example.dev/v1", kind: "Bag", metadata: { name: "bag" }, data: keys };
  const created = post(bags, bag);
  const removed = remove(`${crds}/bags.large.example.dev`);
  const statuses = [(await created).status, (await removed).status];
  await api.idle();
  assert.deepEqual([...statuses, (await get(bags)).status], [statuses[0], 200, 404]);
  assert.ok([201, 404, 405].includes(statuses[0] as number), `status ${statuses[0]}`);
  assert.equal((await post(crds, definition)).status, 201);
  await api.idle();
  assert.deepEqual((await get(bags)).json.items, [], "an object outlived its definition");
});
