import assert from "node:assert/strict";
import { test } from "node:test";
import { builtInResources, createApi, openMemoryStore } from "@trivium/apiserver";
import { createClient } from "@trivium/client";
import { ClusterRole, type Kind, type KubeClient, type KubeObject, RoleBinding } from "@trivium/kube";
import { userRolesOf } from "@trivium/reconcile";
import { until } from "@trivium/testkit";
import { dialectDefinitions, dialects } from "../src/definitions.ts";
import { dialectNames } from "../src/dialect-names.ts";
import { installDefinitions, installRoles } from "../src/install.ts";

type Review = KubeObject & { spec: object; status?: { allowed: boolean } };
const SubjectAccessReview: Kind<Review> = {
  group: "authorization.k8s.io",
  version: "v1",
  kind: "SubjectAccessReview",
  plural: "subjectaccessreviews",
  namespaced: false,
};

/** What `kubectl auth can-i VERB RESOURCE --as USER --namespace NAMESPACE` asks. */
async function canI(client: KubeClient, user: string, query: string, namespace = "default"): Promise<boolean> {
  const [verb, name = ""] = query.split(" ");
  const [resource = "", subresource] = (name.split(".", 1)[0] ?? "").split("/");
  const group = name.split(".").slice(1).join(".");
  const resourceAttributes = { verb, resource, group, namespace, ...(subresource ? { subresource } : {}) };
  const review = await client.create(SubjectAccessReview, {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SubjectAccessReview",
    metadata: {},
    spec: { user, resourceAttributes },
  });
  return review.status?.allowed === true;
}

const queries: readonly (readonly [string, ...boolean[]])[] = [
  // viewer, editor, admin
  ["get inferenceservices.inference.llmkube.dev", true, true, true],
  ["watch aimservices.aim.silogen.ai", true, true, true],
  ["list basemodels.ome.io", true, true, true],
  ["create inferenceservices.inference.llmkube.dev", false, true, true],
  ["create models.inference.llmkube.dev", false, true, true],
  ["patch aimservices.aim.silogen.ai", false, true, true],
  ["patch aimservices.aim.eai.amd.com", false, true, true],
  ["create aimclustermodels.aim.eai.amd.com", false, false, false],
  ["delete inferenceservices.ome.io", false, true, true],
  ["patch inferenceservices/scale.inference.llmkube.dev", false, true, true],
  ["patch inferenceservices/status.inference.llmkube.dev", false, false, false],
  ["create clusterbasemodels.ome.io", false, false, false],
  ["create rolebindings.rbac.authorization.k8s.io", false, false, true],
];

test("view, edit and admin contain the kinds of all dialects", async (t) => {
  const server = createApi({ store: openMemoryStore(), resources: builtInResources() });
  await server.ready;
  t.after(() => server.close());
  const client = createClient(server.transport({ user: "test", groups: ["system:masters"] }));
  await installDefinitions(client, dialectDefinitions(dialectNames));
  const roles = dialects.flatMap(userRolesOf);
  await installRoles(client, roles);
  const versions = async () =>
    (await client.list(ClusterRole)).items.map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`);
  for (const name of ["view", "edit", "admin"])
    await client.create(RoleBinding, {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "RoleBinding",
      metadata: { name, namespace: "default" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name }],
    });
  // Each role is aggregated on its own, from the kinds of one API after the other.
  for (const user of ["view", "edit", "admin"])
    for (const { kinds } of dialects) {
      const { plural = "", group = "" } = kinds[0] ?? {};
      await until(() => canI(client, user, `get ${plural}.${group}`));
    }
  for (const [query, ...expected] of queries) {
    const answers = await Promise.all(["view", "edit", "admin"].map((user) => canI(client, user, query)));
    assert.deepEqual(answers, expected, query);
    assert.equal(await canI(client, "stranger", query), false, query);
    assert.equal(await canI(client, "admin", query, "kube-system"), false, query);
  }
  const before = await versions();
  await installRoles(client, roles);
  assert.deepEqual(await versions(), before, "a second start writes nothing");
});
