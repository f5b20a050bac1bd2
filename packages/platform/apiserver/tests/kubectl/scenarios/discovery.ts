import assert from "node:assert/strict";
import { it } from "node:test";
import type { Scenario } from "../scenario.ts";

/** What kubectl learns of a server before it does anything. */
export const discovery: Scenario = (stage) => {
  it("version and cluster-info", async () => {
    const { kubectl } = stage();
    const version = JSON.parse(await kubectl.ok`version -o json`);
    assert.equal(version.serverVersion.major, "1");
    assert.match(version.serverVersion.gitVersion, /^v1\.3\d\.\d+/);
    assert.match(await kubectl.ok`cluster-info`, /control plane.*is running at.*https:\/\/127\.0\.0\.1:\d+/);
  });

  it("api-versions and api-resources", async () => {
    const { kubectl } = stage();
    const versions = (await kubectl.ok`api-versions`).split("\n");
    for (const version of ["v1", "apps/v1", "batch/v1", "autoscaling/v2", "kubectl.example.dev/v1alpha1"]) {
      assert.ok(versions.includes(version), version);
    }
    const all = await kubectl.ok`api-resources`;
    assert.match(all, /^deployments +deploy +apps\/v1 +true +Deployment$/m);
    assert.match(all, /^widgets +wd +kubectl\.example\.dev\/v1alpha1 +true +Widget$/m);
    assert.match(all, /^namespaces +ns +v1 +false +Namespace$/m);
    const toys = await kubectl.ok`api-resources --categories=toys -o wide --no-headers`;
    assert.match(toys, /^widgets .* all,toys\s*$/);
    assert.match(toys, /delete,deletecollection,get,list,patch,create,update,watch|create,delete,deletecollection/);
    const unscoped = await kubectl.ok`api-resources --namespaced=false --api-group=rbac.authorization.k8s.io -o name`;
    assert.equal(unscoped, "clusterrolebindings.rbac.authorization.k8s.io\nclusterroles.rbac.authorization.k8s.io\n");
    const listable = await kubectl.ok`api-resources --verbs=list,get --api-group=kubectl.example.dev -o name`;
    assert.equal(listable, "widgets.kubectl.example.dev\n");
  });

  it("explain", async () => {
    const { kubectl } = stage();
    const whole = await kubectl.ok`explain widget`;
    assert.match(whole, /^GROUP: +kubectl\.example\.dev\nKIND: +Widget\nVERSION: +v1alpha1\n/);
    assert.match(whole, /A toy that comes in sizes\./);
    const size = await kubectl.ok`explain wd.spec.size`;
    assert.match(size, /FIELD: size <integer>/);
    assert.match(size, /How big it is\./);
    const tree = await kubectl.ok`explain widgets.spec --recursive`;
    assert.match(tree, / {2}parts\t<\[\]Object>\n {4}count\t<integer>\n {4}name\t<string> -required-/);
    assert.match(tree, /enum: red, green/);
    const container = await kubectl.ok`explain pods.spec.containers.resources`;
    assert.match(container, /limits\t<map\[string\]Quantity>/);
    assert.match(await kubectl.ok`explain deployment.spec.template.spec.volumes --recursive`, /persistentVolumeClaim/);
    assert.match(await kubectl.ok`explain hpa --api-version=autoscaling/v2`, /VERSION: +v2/);
    assert.match(await kubectl.fails`explain widget.spec.nope`, /field "nope" does not exist/);
    assert.match(await kubectl.fails`explain gadgets`, /the server doesn't have a resource type "gadgets"/);
  });

  it("get --raw", async () => {
    const { kubectl } = stage();
    assert.equal(await kubectl.ok`get --raw /healthz`, "ok");
    assert.match(await kubectl.ok`get --raw /readyz?verbose`, /^\[\+\]ping ok\n[\s\S]*readyz check passed\n$/);
    const { paths } = JSON.parse(await kubectl.ok`get --raw /openapi/v3`);
    const { serverRelativeURL } = paths["apis/kubectl.example.dev/v1alpha1"];
    const document = JSON.parse(await kubectl.ok`get --raw ${serverRelativeURL}`);
    assert.ok("dev.example.kubectl.v1alpha1.Widget" in document.components.schemas);
    assert.equal(JSON.parse(await kubectl.ok`get --raw /api/v1`).kind, "APIResourceList");
    assert.match(
      await kubectl.fails`get --raw /apis/nope.dev/v1/things`,
      /the server could not find the requested resource/,
    );
  });

  it("auth", async () => {
    const { kubectl } = stage();
    assert.equal(await kubectl.ok`auth can-i create deployments`, "yes\n");
    assert.equal(await kubectl.ok`auth can-i ${"*"} ${"*"} -A`, "yes\n");
    await kubectl.fails`auth can-i create deployments --as jane`;
    await kubectl.ok`create clusterrolebinding jane-views --clusterrole=view --user=jane`;
    assert.equal(await kubectl.ok`auth can-i list deployments --as jane`, "yes\n");
    assert.match(await kubectl.fails`get secrets --as jane`, /User "jane" cannot list resource "secrets"/);
    await kubectl.ok`delete clusterrolebinding jane-views`;
    assert.match(await kubectl.ok`auth whoami`, /Groups +\[system:masters system:authenticated\]/);
    assert.match(
      await kubectl.ok`auth whoami --as jane --as-group devs`,
      /Username +jane\nGroups +\[devs system:authenticated\]/,
    );
  });

  it("a type that nobody serves", async () => {
    const { kubectl } = stage();
    assert.match(await kubectl.fails`get gadgets`, /error: the server doesn't have a resource type "gadgets"/);
  });
};
