import assert from "node:assert/strict";
import { test } from "node:test";
import { configMaps, definitions, startApi, widget, widgetDefinition, widgets } from "./harness.ts";

test("a CRD is served from the moment it is stored", async () => {
  const { post, get } = await startApi();
  assert.equal((await get(widgets)).status, 404);
  const made = await post(definitions, widgetDefinition());
  assert.equal(made.status, 201);
  assert.deepEqual(made.json.spec.names, {
    kind: "Widget",
    plural: "widgets",
    shortNames: ["wd"],
    singular: "widget",
    listKind: "WidgetList",
  });
  assert.deepEqual(made.json.status.acceptedNames, made.json.spec.names);
  assert.deepEqual(made.json.status.storedVersions, ["v1"]);
  assert.deepEqual(
    made.json.status.conditions.map(({ type, status, reason }: Record<string, string>) => [type, status, reason]),
    [
      ["NamesAccepted", "True", "NoConflicts"],
      ["Established", "True", "InitialNamesAccepted"],
    ],
  );
  assert.equal((await get(widgets)).json.kind, "WidgetList");
});

test("objects are pruned, defaulted and validated by the schema", async () => {
  const { post } = await startApi();
  await post(definitions, widgetDefinition());
  const made = await post(widgets, widget("a", { size: 1, extra: true, free: { any: { thing: 1 } } }));
  assert.deepEqual(
    [made.json.spec, made.object.metadata.generation],
    [{ size: 1, free: { any: { thing: 1 } }, replicas: 2 }, 1],
  );
  assert.deepEqual(made.warnings, ['299 - "unknown field \\"spec.extra\\""']);
  const wrong = await post(widgets, widget("b", { size: "big", color: "green" }));
  assert.equal(wrong.status, 422);
  assert.deepEqual(
    wrong.failure.details?.causes?.map(({ field, message }) => `${field}: ${message}`),
    [
      'spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"',
      'spec.color: Unsupported value: "green": supported values: "red", "blue"',
      "<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
    ],
  );
  assert.match((await post(widgets, widget("c", {}))).failure.message ?? "", /spec.size: Required value/);
});

test("transition rules see the old object", async () => {
  const { post, patch } = await startApi();
  await post(definitions, widgetDefinition());
  await post(widgets, widget("a", { size: 5 }));
  assert.equal((await patch(`${widgets}/a`, { spec: { size: 6 } })).status, 200);
  const shrunk = await patch(`${widgets}/a`, { spec: { size: 4 } });
  assert.equal(
    shrunk.failure.message,
    'Widget.shop.example "a" is invalid: spec.size: Invalid value: 4: size never shrinks',
  );
});

test("a bad CRD is refused with every cause, and nothing of it is served", async () => {
  const { post, get } = await startApi();
  const bad = widgetDefinition((crd) => {
    crd.metadata.name = "other";
    crd.spec.scope = "Galaxy";
    crd.spec.versions[0].storage = false;
    crd.spec.versions[0].additionalPrinterColumns[0].type = "picture";
    crd.spec.versions[0].subresources.scale.specReplicasPath = ".status.replicas";
    crd.spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.size = {
      type: "integer",
      "x-kubernetes-validations": [{ rule: "self.(" }],
    };
  });
  const refused = await post(definitions, bad);
  assert.equal(refused.status, 422);
  const fields = refused.failure.details?.causes?.map(({ field }) => field) ?? [];
  for (const field of [
    "metadata.name",
    "spec.scope",
    "spec.versions",
    "spec.additionalPrinterColumns[0].type",
    "spec.subresources.scale.specReplicasPath",
    "spec.validation.openAPIV3Schema.properties[spec].properties[size].x-kubernetes-validations[0].rule",
    "status.storedVersions",
  ]) {
    assert.ok(fields.includes(field), `${field} is among ${fields.join(", ")}`);
  }
  assert.equal((await get(widgets)).status, 404);
  for (const spec of [
    {},
    { versions: "x" },
    { names: 5 },
    null,
    { versions: [{}] },
    { names: { plural: "a" }, versions: [{ name: "v1", schema: null }] },
  ]) {
    const answer = await post(definitions, { metadata: { name: "x" }, spec });
    assert.ok([400, 422].includes(answer.status), `${JSON.stringify(spec)}: ${answer.text}`);
  }
});

test("names that are taken are not given twice, until they are free", async () => {
  const { post, get, remove, api } = await startApi();
  await post(definitions, widgetDefinition());
  const rival = widgetDefinition((crd) => {
    crd.metadata.name = "gadgets.shop.example";
    crd.spec.names = { kind: "Widget", listKind: "GadgetList", plural: "gadgets", shortNames: ["wd"] };
  });
  const made = (await post(definitions, rival)).json;
  assert.deepEqual(
    made.status.conditions.map(({ type, status, reason, message }: Record<string, string>) => [
      type,
      status,
      reason,
      message,
    ]),
    [
      ["NamesAccepted", "False", "KindConflict", '"Widget" is already in use'],
      ["Established", "False", "NotAccepted", "not all names are accepted"],
    ],
  );
  const gadgets = "/apis/shop.example/v1/namespaces/default/gadgets";
  assert.equal((await get(gadgets)).status, 404);
  await remove(`${definitions}/widgets.shop.example`);
  await api.idle();
  assert.equal((await get(gadgets)).status, 200);
});

test("a changed schema holds for what is there already", async () => {
  const { post, patch, get, watch } = await startApi();
  await post(definitions, widgetDefinition());
  await post(widgets, widget("old", { size: 1, color: "red" }));
  const changed = widgetDefinition((crd) => {
    const { properties } = crd.spec.versions[0].schema.openAPIV3Schema.properties.spec;
    properties.shape = { type: "string", default: "round" };
    delete properties.color;
    crd.spec.versions[0].selectableFields = null;
  });
  const answer = await patch(`${definitions}/widgets.shop.example`, { spec: changed.spec });
  assert.equal(answer.status, 200, answer.text);
  const expected = { size: 1, replicas: 2, shape: "round" };
  assert.deepEqual((await get(`${widgets}/old`)).json.spec, expected);
  assert.deepEqual((await get(widgets)).json.items[0].spec, expected);
  const lines = await watch(`${widgets}?watch=1`);
  assert.deepEqual((await lines.take(1))[0]?.object.spec, expected);
  lines.stop();
});

test("what clients hold on to cannot change", async () => {
  const { post, patch } = await startApi();
  await post(definitions, widgetDefinition());
  const path = `${definitions}/widgets.shop.example`;
  assert.match(
    (await patch(path, { spec: { scope: "Cluster" } })).failure.message ?? "",
    /spec.scope: Invalid value: "Cluster": field is immutable/,
  );
  const renamed = widgetDefinition((crd) => (crd.spec.versions[0].name = "v2"));
  assert.match(
    (await patch(path, { spec: renamed.spec })).failure.message ?? "",
    /status.storedVersions\[0\]: Invalid value: "v1": missing from spec.versions; v1 was previously a storage version/,
  );
});

test("versions are shown by their own schema and stored by one", async () => {
  const { post, get, store, patch, watch } = await startApi();
  await post(
    definitions,
    widgetDefinition((crd) => {
      crd.spec.versions.push({
        name: "v1alpha1",
        served: true,
        storage: false,
        deprecated: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: { spec: { type: "object", properties: { size: { type: "integer" } } } },
          },
        },
      });
    }),
  );
  const alphas = "/apis/shop.example/v1alpha1/namespaces/default/widgets";
  const made = await post(alphas, { ...widget("a", { size: 3 }), apiVersion: "shop.example/v1alpha1" });
  assert.deepEqual([made.status, made.object.apiVersion, made.json.spec], [201, "shop.example/v1alpha1", { size: 3 }]);
  assert.deepEqual(made.warnings, ['299 - "shop.example/v1alpha1 Widget is deprecated; use shop.example/v1 Widget"']);
  const [stored] = store.list("widgets.shop.example");
  assert.equal(JSON.parse(stored?.text ?? "{}").apiVersion, "shop.example/v1");
  assert.deepEqual((await get(`${widgets}/a`)).json.spec, { size: 3, replicas: 2 });
  const lines = await watch(`${alphas}?watch=1`);
  await patch(`${widgets}/a`, { spec: { color: "red", size: 4 } });
  const [, changed] = await lines.take(2);
  assert.deepEqual([changed?.object.apiVersion, changed?.object.spec], ["shop.example/v1alpha1", { size: 4 }]);
  lines.stop();
});

test("a deleted CRD takes its instances along, and waits for those that are held", async () => {
  const { post, get, remove, patch, api, store } = await startApi();
  await post(definitions, widgetDefinition());
  await post(widgets, widget("a"));
  await post(widgets, { ...widget("held"), metadata: { name: "held", finalizers: ["test/hold"] } });
  const going = (await remove(`${definitions}/widgets.shop.example`)).json;
  assert.deepEqual(going.metadata.finalizers, ["customresourcecleanup.apiextensions.k8s.io"]);
  await api.idle();
  assert.deepEqual(
    (await get(widgets)).json.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name),
    ["held"],
  );
  const late = await post(widgets, widget("late"));
  assert.deepEqual([late.status, late.failure.reason], [405, "MethodNotAllowed"]);
  await patch(`${widgets}/held`, { metadata: { finalizers: null } });
  await api.idle();
  assert.equal((await get(`${definitions}/widgets.shop.example`)).status, 404);
  assert.equal((await get(widgets)).status, 404);
  assert.equal(store.count("widgets.shop.example"), 0);
  assert.equal((await post(definitions, widgetDefinition())).status, 201);
  assert.deepEqual((await get(widgets)).json.items, []);
});

test("stored CRDs are served after a restart", async () => {
  const first = await startApi();
  await first.post(definitions, widgetDefinition());
  await first.post(widgets, widget("a"));
  await first.api.close();
  const second = await startApi({ store: first.store });
  assert.equal((await second.get(`${widgets}/a`)).json.spec.replicas, 2);
  assert.equal((await second.post(widgets, widget("b"))).status, 201);
  assert.equal((await second.get(configMaps)).status, 200);
});

test("a finalizer without a domain is doubtful on a custom resource and refused on a built-in one", async () => {
  const { post } = await startApi();
  await post(definitions, widgetDefinition());
  const held = { finalizers: ["nodomain"] };
  const custom = { ...widget("held"), metadata: { name: "held", ...held } };
  const made = await post(widgets, custom);
  assert.equal(made.status, 201);
  assert.match(made.warnings.join(), /metadata\.finalizers: \\"nodomain\\": prefer a domain-qualified finalizer name/);
  const refused = await post(configMaps, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "held", ...held } });
  assert.equal(refused.status, 422);
  assert.match(refused.failure.message ?? "", /neither a standard finalizer name nor is it fully qualified/);
});
