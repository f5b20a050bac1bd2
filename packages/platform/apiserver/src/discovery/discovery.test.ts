import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ApiResponse } from "@trivium/kube";
import { compareVersions } from "./groups.ts";
import { createDiscovery } from "./index.ts";
import { deployment, fakeRegistry, fakeResource, pod, widget } from "./resources.fixture.ts";

const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
const kubectl = `${aggregated},application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json`;

function ask(path: string, headers: Record<string, string> = {}, registry = fakeRegistry(widget, deployment, pod)) {
  return createDiscovery(registry)({ method: "GET", path, headers });
}

const bodyOf = (answer: ApiResponse | undefined) => JSON.parse(String(answer?.body)) as Record<string, unknown>;

describe("discovery", () => {
  it("lists the resources of a CRD's group byte for byte as a kube-apiserver does", () => {
    assert.equal(
      ask("/apis/http.example.dev/v1alpha1")?.body,
      '{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"http.example.dev/v1alpha1","resources":[{"name":"widgets","singularName":"widget","namespaced":true,"kind":"Widget","verbs":["delete","deletecollection","get","list","patch","create","update","watch"],"shortNames":["wd"],"categories":["all","toys"],"storageVersionHash":"Ekpib8M4tSk="},{"name":"widgets/status","singularName":"","namespaced":true,"kind":"Widget","verbs":["get","patch","update"]},{"name":"widgets/scale","singularName":"","namespaced":true,"group":"autoscaling","version":"v1","kind":"Scale","verbs":["get","patch","update"]}]}',
    );
    assert.equal(
      ask("/apis/http.example.dev/")?.body,
      '{"kind":"APIGroup","apiVersion":"v1","name":"http.example.dev","versions":[{"groupVersion":"http.example.dev/v1alpha1","version":"v1alpha1"}],"preferredVersion":{"groupVersion":"http.example.dev/v1alpha1","version":"v1alpha1"}}',
    );
  });

  it("gives kubectl everything in one document", () => {
    const answer = ask("/apis?timeout=32s", { accept: kubectl });
    assert.equal(answer?.headers["content-type"], aggregated);
    const items = bodyOf(answer).items as { metadata: { name: string } }[];
    assert.deepEqual(
      items.map((item) => item.metadata.name),
      ["apps", "http.example.dev"],
    );
    assert.equal(
      JSON.stringify(items[1]),
      '{"metadata":{"name":"http.example.dev"},"versions":[{"version":"v1alpha1","resources":[{"resource":"widgets","responseKind":{"group":"http.example.dev","version":"v1alpha1","kind":"Widget"},"scope":"Namespaced","singularResource":"widget","verbs":["delete","deletecollection","get","list","patch","create","update","watch"],"shortNames":["wd"],"categories":["all","toys"],"subresources":[{"subresource":"status","responseKind":{"group":"http.example.dev","version":"v1alpha1","kind":"Widget"},"verbs":["get","patch","update"]},{"subresource":"scale","responseKind":{"group":"autoscaling","version":"v1","kind":"Scale"},"verbs":["get","patch","update"]}]}],"freshness":"Current"}]}',
    );
  });

  it("keeps the core group under /api, without a name, with subresources by name", () => {
    const [core] = bodyOf(ask("/api", { accept: aggregated })).items as Record<string, unknown>[];
    assert.deepEqual(core?.metadata, {});
    assert.match(
      JSON.stringify(core),
      /"subresource":"eviction","responseKind":{"group":"policy","version":"v1","kind":"Eviction"}.*"log".*"status"/,
    );
    assert.deepEqual(bodyOf(ask("/api", { host: "127.0.0.1:6443" })), {
      kind: "APIVersions",
      versions: ["v1"],
      serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress: "127.0.0.1:6443" }],
    });
    assert.equal(bodyOf(ask("/api/v1")).apiVersion, undefined);
  });

  it("answers v2beta1 to older clients and 304 to those that have it already", () => {
    const beta = "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList";
    assert.equal(bodyOf(ask("/apis", { accept: beta })).apiVersion, "apidiscovery.k8s.io/v2beta1");
    const etag = String(ask("/apis", { accept: aggregated })?.headers.etag);
    const again = ask("/apis", { accept: aggregated, "if-none-match": etag });
    assert.equal(again?.status, 304);
    assert.equal(again?.body, "");
  });

  it("makes documents anew when the registry changed, and only then", () => {
    const registry = fakeRegistry(pod);
    const discovery = createDiscovery(registry);
    const groups = () => bodyOf(discovery({ method: "GET", path: "/apis", headers: { accept: aggregated } })).items;
    assert.deepEqual(groups(), []);
    registry.resources = [pod, widget];
    assert.deepEqual(groups(), []);
    registry.revision++;
    assert.equal((groups() as unknown[]).length, 1);
  });

  it("says what is not there in the words of a kube-apiserver", () => {
    assert.equal(ask("/apis/nope")?.body, "404 page not found\n");
    assert.equal(bodyOf(ask("/apis/apps/v3")).message, "the server could not find the requested resource");
    assert.equal(ask("/apis", { accept: "text/html" })?.status, 406);
    assert.equal(ask("/apis/apps/v1", { accept: "application/vnd.kubernetes.protobuf" })?.status, 406);
    assert.equal(ask("/apis/apps/v1", { accept: "application/vnd.kubernetes.protobuf,application/json" })?.status, 200);
    assert.equal(createDiscovery(fakeRegistry())({ method: "POST", path: "/apis", headers: {} })?.status, 405);
  });

  it("leaves paths of resources and strangers to others", () => {
    for (const path of ["/api/v1/pods", "/apis/apps/v1/deployments", "/openapi/v3", "/healthz", "/favicon.ico"]) {
      assert.equal(ask(path), undefined, path);
    }
  });

  it("tells the version and lists its paths at the root", () => {
    assert.equal(bodyOf(ask("/version")).gitVersion, "v1.36.4+trivium");
    assert.ok((bodyOf(ask("/")).paths as string[]).includes("/apis/http.example.dev/v1alpha1"));
  });

  it("prefers stable and newer versions", () => {
    const versions = ["foo10", "v1", "v3beta1", "v12alpha1", "v11beta2", "v10", "foo1", "v2", "v10beta3", "v11alpha2"];
    assert.deepEqual(versions.sort(compareVersions), [
      "v10",
      "v2",
      "v1",
      "v11beta2",
      "v10beta3",
      "v3beta1",
      "v12alpha1",
      "v11alpha2",
      "foo1",
      "foo10",
    ]);
    const two = ["v1", "v2"].map((version) => fakeResource({ group: "g.io", version, kind: "K", plural: "ks" }));
    const group = bodyOf(ask("/apis/g.io", {}, fakeRegistry(...two)));
    assert.deepEqual(group.preferredVersion, { groupVersion: "g.io/v2", version: "v2" });
  });
});
