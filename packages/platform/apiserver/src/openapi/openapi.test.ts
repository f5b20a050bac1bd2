import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "@trivium/std";
import { deployment, fakeRegistry, fakeResource, pod, widget } from "../discovery/resources.fixture.ts";
import { createOpenApi } from "./index.ts";

const crds = fakeResource({
  group: "apiextensions.k8s.io",
  version: "v1",
  kind: "CustomResourceDefinition",
  plural: "customresourcedefinitions",
  namespaced: false,
});
/** Built in, but not among the definitions of kinds. */
const review = fakeResource({
  group: "authorization.k8s.io",
  version: "v1",
  kind: "SelfSubjectAccessReview",
  plural: "selfsubjectaccessreviews",
  namespaced: false,
  verbs: ["create"],
});
const registry = fakeRegistry(widget, deployment, pod, crds, review);
const openApi = createOpenApi(registry);

function ask(path: string, headers: Record<string, string> = {}) {
  const answer = openApi({ method: "GET", path, headers });
  assert.ok(answer !== undefined, path);
  return answer;
}

function json(path: string): JsonObject {
  return JSON.parse(String(ask(path).body)) as JsonObject;
}

/** Walks down by keys; a schema that is not there is a failed test, not a crash. */
function at(value: JsonObject, ...keys: string[]): JsonObject {
  let here: unknown = value;
  for (const key of keys) {
    here = (here as JsonObject)[key];
    assert.notEqual(here, undefined, keys.join(" > "));
  }
  return here as JsonObject;
}

describe("/openapi/v3", () => {
  it("lists a document for each group version, by hash", () => {
    const { paths } = json("/openapi/v3") as { paths: Record<string, { serverRelativeURL: string }> };
    assert.deepEqual(Object.keys(paths), [
      "api/v1",
      "apis/apiextensions.k8s.io/v1",
      "apis/apps/v1",
      "apis/authorization.k8s.io/v1",
      "apis/http.example.dev/v1alpha1",
    ]);
    const url = paths["apis/apps/v1"]?.serverRelativeURL ?? "";
    assert.match(url, /^\/openapi\/v3\/apis\/apps\/v1\?hash=[0-9A-F]{128}$/);
    const kept = ask(url);
    assert.equal(kept.headers["cache-control"], "public, immutable");
    assert.equal(ask(url, { "if-none-match": String(kept.headers.etag) }).status, 304);
    const moved = ask("/openapi/v3/apis/apps/v1?hash=ABC");
    assert.equal(moved.status, 301);
    assert.equal(moved.headers.location, url);
    assert.equal(ask("/openapi/v3/apis/nope/v1").status, 404);
  });

  it("publishes a CRD under the standard head, with what the extensions imply", () => {
    const schemas = at(json("/openapi/v3/apis/http.example.dev/v1alpha1"), "components", "schemas");
    const published = at(schemas, "dev.example.http.v1alpha1.Widget");
    assert.deepEqual(published["x-kubernetes-group-version-kind"], [
      { group: "http.example.dev", kind: "Widget", version: "v1alpha1" },
    ]);
    assert.deepEqual(at(published, "properties", "metadata", "allOf"), [
      { $ref: "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta" },
    ]);
    const spec = at(published, "properties", "spec", "properties");
    assert.deepEqual(spec.port, {
      "x-kubernetes-int-or-string": true,
      anyOf: [{ type: "integer" }, { type: "string" }],
    });
    assert.deepEqual(spec.not, { type: "string", nullable: true });
    assert.deepEqual(at(spec, "inner").required, ["kind", "apiVersion"]);
    assert.deepEqual(at(schemas, "dev.example.http.v1alpha1.WidgetList", "properties", "items", "items"), {
      $ref: "#/components/schemas/dev.example.http.v1alpha1.Widget",
    });
    assert.deepEqual(widget.schema.properties?.spec?.properties?.port, { "x-kubernetes-int-or-string": true });
  });

  it("has every definition it refers to", () => {
    for (const path of Object.keys(at(json("/openapi/v3"), "paths"))) {
      const document = json(`/openapi/v3/${path}`);
      const schemas = at(document, "components", "schemas");
      for (const [, name] of JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)) {
        assert.ok(Object.hasOwn(schemas, name as string), `${path} lacks ${name}`);
      }
    }
  });

  it("shows kubectl by PATCH what it may send", () => {
    const path = "namespaces/{namespace}";
    const custom = at(
      json("/openapi/v3/apis/http.example.dev/v1alpha1"),
      "paths",
      `/apis/http.example.dev/v1alpha1/${path}/widgets/{name}`,
      "patch",
    );
    const builtIn = at(json("/openapi/v3/apis/apps/v1"), "paths", `/apis/apps/v1/${path}/deployments/{name}`, "patch");
    for (const operation of [custom, builtIn]) {
      const names = (operation.parameters as JsonObject[]).map((parameter) => parameter.name);
      assert.deepEqual(names, ["dryRun", "fieldManager", "fieldValidation", "force"]);
      assert.equal(operation["x-kubernetes-action"], "patch");
    }
    assert.deepEqual(builtIn["x-kubernetes-group-version-kind"], { group: "apps", version: "v1", kind: "Deployment" });
    const strategic = "application/strategic-merge-patch+json";
    assert.ok(strategic in at(builtIn, "requestBody", "content"));
    assert.ok(!(strategic in at(custom, "requestBody", "content")));
    assert.equal(custom.operationId, "patchHttpExampleDevV1alpha1NamespacedWidget");
  });

  it("has the paths of subresources, of all namespaces and of cluster-scoped kinds", () => {
    const core = Object.keys(at(json("/openapi/v3/api/v1"), "paths"));
    assert.deepEqual(core, [
      "/api/v1/namespaces/{namespace}/pods",
      "/api/v1/namespaces/{namespace}/pods/{name}",
      "/api/v1/namespaces/{namespace}/pods/{name}/eviction",
      "/api/v1/namespaces/{namespace}/pods/{name}/log",
      "/api/v1/namespaces/{namespace}/pods/{name}/status",
      "/api/v1/pods",
    ]);
    assert.deepEqual(Object.keys(at(json("/openapi/v3/apis/apiextensions.k8s.io/v1"), "paths")), [
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{name}",
    ]);
  });

  it("changes a hash with the schema, and only the hash of that group version", () => {
    const hashes = (): Record<string, JsonObject> => json("/openapi/v3").paths as Record<string, JsonObject>;
    const before = hashes();
    registry.resources = registry.resources.map((resource) =>
      resource === widget ? { ...widget, schema: { type: "object", description: "Another toy." } } : resource,
    );
    registry.revision++;
    const after = hashes();
    const changed = Object.keys(after).filter(
      (key) => after[key]?.serverRelativeURL !== before[key]?.serverRelativeURL,
    );
    assert.deepEqual(changed, ["apis/http.example.dev/v1alpha1"]);
    assert.match(String(ask("/openapi/v3/apis/http.example.dev/v1alpha1").body), /Another toy/);
  });
});

describe("/openapi/v2", () => {
  it("is JSON with definitions and nothing that version 2 does not know", () => {
    const { definitions } = json("/openapi/v2") as { definitions: Record<string, JsonObject> };
    const text = JSON.stringify(definitions["io.k8s.api.core.v1.Pod"]);
    assert.match(text, /"\$ref":"#\/definitions\/io\.k8s\.api\.core\.v1\.PodSpec"/);
    const props = at(
      definitions,
      "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps",
      "properties",
    );
    assert.ok("not" in props && "nullable" in props, "fields called like keywords stay");
  });

  it("has every definition it refers to", () => {
    const { definitions } = json("/openapi/v2") as { definitions: Record<string, JsonObject> };
    for (const [, name] of JSON.stringify(definitions).matchAll(/"\$ref":"#\/definitions\/([^"]+)"/g)) {
      assert.ok(Object.hasOwn(definitions, name as string), `${name} is missing`);
    }
  });

  it("answers a client that has the current document without it, until a definition changes", () => {
    const growing = fakeRegistry(deployment);
    const documents = createOpenApi(growing);
    const request = (tag: string) =>
      documents({ method: "GET", path: "/openapi/v2", headers: { "if-none-match": tag } });
    const first = String(request("")?.headers.etag);
    assert.match(first, /^"[0-9A-F]{128}"$/);
    assert.deepEqual(request(first), { status: 304, headers: { etag: first, vary: "Accept" }, body: "" });
    growing.resources.push(widget);
    growing.revision++;
    const answer = request(first);
    assert.equal(answer?.status, 200);
    assert.notEqual(answer?.headers.etag, first);
    // A server that was started again does not know the tag before it has written the document once.
    const second = String(answer?.headers.etag);
    const restarted = createOpenApi(growing)({
      method: "GET",
      path: "/openapi/v2",
      headers: { "if-none-match": second },
    });
    assert.deepEqual([restarted?.status, restarted?.headers.etag, restarted?.body], [304, second, ""]);
  });

  it("is JSON only at this level", () => {
    const answer = ask("/openapi/v2", { accept: "application/com.github.proto-openapi.spec.v2@v1.0+protobuf" });
    assert.equal(answer.status, 406);
  });

  it("leaves other paths alone", () => {
    assert.equal(openApi({ method: "GET", path: "/openapi/v4", headers: {} }), undefined);
    assert.equal(openApi({ method: "GET", path: "/api/v1", headers: {} }), undefined);
  });
});
