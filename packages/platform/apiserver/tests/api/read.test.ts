import assert from "node:assert/strict";
import { test } from "node:test";
import {
  asPartial,
  asTable,
  configMap,
  configMaps,
  definitions,
  startApi,
  widget,
  widgetDefinition,
  widgets,
} from "./harness.ts";

const names = (answer: { json: { items: { metadata: { name: string } }[] } }) =>
  answer.json.items.map(({ metadata }) => metadata.name);

const api = await startApi({ clock: () => Date.UTC(2026, 0, 1, 0, 1) });
await api.post(definitions, widgetDefinition());
for (const [index, color] of ["red", "blue", "red", "blue", "red"].entries()) {
  await api.post(widgets, {
    ...widget(`w${index}`, { size: index + 1, color }),
    metadata: { name: `w${index}`, labels: { n: `${index}` } },
  });
}

test("an object that is not there is named in the 404", async () => {
  const missing = await api.get("/apis/apps/v1/namespaces/default/deployments/nope");
  assert.deepEqual(missing.failure, {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: 'deployments.apps "nope" not found',
    reason: "NotFound",
    details: { name: "nope", group: "apps", kind: "deployments" },
    code: 404,
  });
});

test("lists are in order, of one namespace or of all, with the revision they were read at", async () => {
  const list = await api.get(widgets);
  assert.deepEqual(names(list), ["w0", "w1", "w2", "w3", "w4"]);
  assert.deepEqual([list.json.kind, list.json.apiVersion], ["WidgetList", "shop.example/v1"]);
  assert.equal(list.json.metadata.resourceVersion, String(api.store.revision));
  assert.equal((await api.get("/apis/shop.example/v1/widgets")).json.items.length, 5);
  assert.equal((await api.get("/apis/shop.example/v1/namespaces/kube-system/widgets")).json.items.length, 0);
});

test("selectors by label and by field", async () => {
  const select = async (query: string) => names(await api.get(`${widgets}?${query}`));
  assert.deepEqual(await select("labelSelector=n+in+(1,2)"), ["w1", "w2"]);
  assert.deepEqual(await select("labelSelector=n%3D1,missing"), []);
  assert.deepEqual(await select("fieldSelector=metadata.name%3Dw3"), ["w3"]);
  assert.deepEqual(await select("fieldSelector=metadata.name!%3Dw3,spec.color%3Dblue"), ["w1"]);
  assert.deepEqual(await select("labelSelector=n!%3D0&fieldSelector=spec.color%3Dred"), ["w2", "w4"]);
  assert.deepEqual(await select("fieldSelector=metadata.namespace%3Dkube-system"), []);
  const bad = await api.get(`${widgets}?fieldSelector=spec.size%3D1`);
  assert.deepEqual([bad.status, bad.failure.message], [400, "field label not supported: spec.size"]);
  assert.equal(
    (await api.get(`${widgets}?labelSelector=n+in`)).failure.message,
    "unable to parse requirement: found '' expected: '('",
  );
});

test("pages show the state of the first page, whatever happens between them", async () => {
  const first = await api.get(`${widgets}?limit=2`);
  assert.deepEqual(names(first), ["w0", "w1"]);
  assert.equal(first.json.metadata.remainingItemCount, 3);
  await api.post(widgets, widget("w15"));
  await api.post(widgets, widget("w9"));
  await api.patch(`${widgets}/w2`, { spec: { size: 99 } });
  await api.remove(`${widgets}/w3`);
  const second = await api.get(`${widgets}?limit=2&continue=${first.json.metadata.continue}`);
  assert.deepEqual(names(second), ["w2", "w3"]);
  assert.equal(second.json.items[0].spec.size, 3);
  assert.equal(second.json.metadata.resourceVersion, first.json.metadata.resourceVersion);
  assert.equal(second.json.metadata.remainingItemCount, 1);
  const third = await api.get(`${widgets}?limit=2&continue=${second.json.metadata.continue}`);
  assert.deepEqual(names(third), ["w4"]);
  assert.equal(third.json.metadata.continue, "");
  await api.remove(`${widgets}/w15`);
  await api.remove(`${widgets}/w9`);
  await api.post(widgets, { ...widget("w3", { size: 4, color: "blue" }) });
});

test("pages with a selector say whether there are more, not how many", async () => {
  const first = await api.get(`${widgets}?limit=1&fieldSelector=spec.color%3Dred`);
  assert.equal(first.json.metadata.remainingItemCount, undefined);
  const second = await api.get(
    `${widgets}?limit=5&fieldSelector=spec.color%3Dred&continue=${first.json.metadata.continue}`,
  );
  assert.deepEqual([names(first), names(second)], [["w0"], ["w2", "w4"]]);
});

test("tokens that cannot be honoured are refused", async () => {
  const forged = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  assert.equal((await api.get(`${widgets}?continue=!!!`)).status, 400);
  assert.equal((await api.get(`${widgets}?continue=${forged([1])}`)).status, 400);
  assert.equal(
    (await api.get(`${widgets}?continue=${forged({ v: "meta.k8s.io/v1", rv: -1, start: "a/b" })}`)).status,
    400,
  );
  const old = await api.get(`${widgets}?continue=${forged({ v: "meta.k8s.io/v1", rv: 2, start: "default/w0\u0000" })}`);
  assert.deepEqual([old.status, old.failure.reason], [410, "Expired"]);
});

test("the rules of resourceVersion and its match", async () => {
  const current = api.store.revision;
  const status = async (query: string) => (await api.get(`${widgets}?${query}`)).status;
  assert.equal(await status("resourceVersion=0"), 200);
  assert.equal(await status(`resourceVersion=${current}&resourceVersionMatch=Exact`), 200);
  assert.equal(await status("resourceVersion=1&resourceVersionMatch=NotOlderThan"), 200);
  assert.equal(await status("resourceVersion=1&resourceVersionMatch=Exact"), 410);
  assert.equal(await status("resourceVersionMatch=Exact"), 422);
  assert.equal(await status("resourceVersion=abc"), 400);
  const ahead = await api.get(`${widgets}?resourceVersion=${current + 1000}`);
  assert.deepEqual([ahead.status, ahead.failure.details?.causes?.[0]?.reason], [504, "ResourceVersionTooLarge"]);
  assert.equal((await api.get(`${widgets}/w0?resourceVersion=${current + 1000}`)).status, 504);
});

test("tables of custom and built-in resources", async () => {
  const table = (await api.get(`${widgets}?limit=1`, asTable)).json;
  assert.deepEqual([table.kind, table.apiVersion], ["Table", "meta.k8s.io/v1"]);
  assert.deepEqual(
    table.columnDefinitions.map(({ name, type, priority }: { name: string; type: string; priority: number }) => [
      name,
      type,
      priority,
    ]),
    [
      ["Name", "string", 0],
      ["Size", "integer", 0],
      ["Color", "string", 1],
    ],
  );
  assert.deepEqual(table.rows[0].cells, ["w0", 1, "red"]);
  assert.equal(table.rows[0].object.kind, "PartialObjectMetadata");
  assert.notEqual(table.metadata.continue, undefined);
  assert.equal((await api.get(`${widgets}?includeObject=None`, asTable)).json.rows[0].object, null);
  assert.equal((await api.get(`${widgets}/w0?includeObject=Object`, asTable)).json.rows[0].object.spec.size, 1);
  assert.equal((await api.get(`${widgets}?includeObject=All`, asTable)).status, 400);
  await api.post(configMaps, configMap("aged", { data: { a: "b" } }));
  const rows = (await api.get(`${configMaps}?fieldSelector=metadata.name%3Daged`, asTable)).json.rows;
  assert.deepEqual(rows[0].cells, ["aged", 1, "0s"]);
});

test("a CRD without columns gets name and age", async () => {
  const gadgets = widgetDefinition((crd) => {
    crd.metadata.name = "gadgets.shop.example";
    crd.spec.names = { kind: "Gadget", plural: "gadgets" };
    delete crd.spec.versions[0].additionalPrinterColumns;
  });
  await api.post(definitions, gadgets);
  await api.post("/apis/shop.example/v1/namespaces/default/gadgets", { ...widget("g"), kind: "Gadget" });
  const table = (await api.get("/apis/shop.example/v1/gadgets", asTable)).json;
  assert.deepEqual(
    [table.columnDefinitions.map(({ name }: { name: string }) => name), table.rows[0].cells],
    [
      ["Name", "Age"],
      ["g", "0s"],
    ],
  );
});

test("metadata alone, of one object and of many", async () => {
  const one = (await api.get(`${widgets}/w0`, asPartial)).json;
  assert.deepEqual(Object.keys(one), ["kind", "apiVersion", "metadata"]);
  assert.deepEqual([one.kind, one.metadata.name], ["PartialObjectMetadata", "w0"]);
  const many = (await api.get(widgets, { accept: asPartial.accept.replace("Metadata;", "MetadataList;") })).json;
  assert.equal(many.kind, "PartialObjectMetadataList");
  assert.deepEqual(Object.keys(many.items[0]), ["kind", "apiVersion", "metadata"]);
  assert.equal((await api.get(widgets, asPartial)).status, 406);
});
