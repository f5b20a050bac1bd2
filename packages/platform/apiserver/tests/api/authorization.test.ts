import assert from "node:assert/strict";
import { test } from "node:test";
import { type Answer, type Harness, startApi, talkAs } from "./harness.ts";

const rbac = "/apis/rbac.authorization.k8s.io/v1";
const pods = "/api/v1/namespaces/default/pods";
const everyone = "system:authenticated";

type Talk = ReturnType<typeof talkAs>;

const asJane = (api: Harness["api"], groups: string[] = []): Talk =>
  talkAs(api, { user: "jane", groups: [...groups, everyone] });

const bind = (admin: Harness, name: string, subject: object, role = name, namespace = "default"): Promise<Answer> =>
  admin.post(`${rbac}/namespaces/${namespace}/rolebindings`, {
    metadata: { name },
    roleRef: { kind: "Role", name: role },
    subjects: [subject],
  });

const makeRole = (admin: Harness, name: string, rules: object[], namespace = "default"): Promise<Answer> =>
  admin.post(`${rbac}/namespaces/${namespace}/roles`, { metadata: { name }, rules });

const jane = { kind: "User", name: "jane" };

async function grant(admin: Harness, rules: object[], subject: object = jane): Promise<void> {
  assert.equal((await makeRole(admin, "own", rules)).status, 201);
  assert.equal((await bind(admin, "own", subject)).status, 201);
}

test("a caller without rules is refused in the words of a real server", async () => {
  const admin = await startApi();
  const talk = asJane(admin.api);
  const cases: [string, string, string][] = [
    [
      "GET",
      pods,
      'pods is forbidden: User "jane" cannot list resource "pods" in API group "" in the namespace "default"',
    ],
    [
      "GET",
      "/api/v1/pods",
      'pods is forbidden: User "jane" cannot list resource "pods" in API group "" at the cluster scope',
    ],
    [
      "GET",
      "/api/v1/pods?watch=1",
      'pods is forbidden: User "jane" cannot watch resource "pods" in API group "" at the cluster scope',
    ],
    [
      "GET",
      "/api/v1/namespaces/default/secrets/absent",
      'secrets "absent" is forbidden: User "jane" cannot get resource "secrets" in API group "" in the namespace "default"',
    ],
    [
      "GET",
      `${pods}/a/log`,
      'pods "a" is forbidden: User "jane" cannot get resource "pods/log" in API group "" in the namespace "default"',
    ],
    [
      "DELETE",
      "/apis/apps/v1/namespaces/default/deployments",
      'deployments.apps is forbidden: User "jane" cannot deletecollection resource "deployments" in API group "apps" in the namespace "default"',
    ],
    [
      "GET",
      "/api/v1/namespaces/kube-system",
      'namespaces "kube-system" is forbidden: User "jane" cannot get resource "namespaces" in API group "" in the namespace "kube-system"',
    ],
    [
      "GET",
      "/apis/nowhere.io/v1/things",
      'things.nowhere.io is forbidden: User "jane" cannot list resource "things" in API group "nowhere.io" at the cluster scope',
    ],
    ["GET", "/metrics", 'forbidden: User "jane" cannot get path "/metrics"'],
    [
      "POST",
      "/api/v1/watch/namespaces/default/pods",
      'pods is forbidden: User "jane" cannot watch resource "pods" in API group "" in the namespace "default"',
    ],
  ];
  for (const [method, path, message] of cases) {
    const { status, failure } = await talk.send(method as "GET", path);
    assert.deepEqual([path, status, failure.message, failure.reason], [path, 403, message, "Forbidden"]);
  }
  assert.equal((await talk.get("/apis")).status, 200, "discovery is open to everyone who is known");
});

test("roles grant exactly what their rules say", async () => {
  const admin = await startApi();
  await grant(admin, [
    { apiGroups: [""], resources: ["configmaps"], verbs: ["get", "create", "update"], resourceNames: ["mine"] },
    { apiGroups: [""], resources: ["pods", "pods/log"], verbs: ["list"] },
    { apiGroups: [""], resources: ["secrets"], verbs: ["list", "watch"], resourceNames: ["token"] },
    { apiGroups: ["apps"], resources: ["*"], verbs: ["*"] },
  ]);
  for (const name of ["mine", "other"])
    await admin.post("/api/v1/namespaces/default/configmaps", { metadata: { name } });
  const talk = asJane(admin.api);
  const status = async (path: string) => (await talk.get(path)).status;
  assert.equal(await status("/api/v1/namespaces/default/configmaps/mine"), 200);
  assert.equal(await status("/api/v1/namespaces/default/configmaps/other"), 403);
  assert.equal(await status("/api/v1/namespaces/default/configmaps"), 403);
  assert.equal(await status(pods), 200);
  assert.equal(await status("/api/v1/namespaces/kube-system/pods"), 403);
  assert.equal(await status("/api/v1/pods"), 403);
  assert.equal(await status(`${pods}/a`), 403);
  assert.equal(await status("/api/v1/namespaces/default/secrets"), 403);
  assert.equal(await status("/api/v1/namespaces/default/secrets?fieldSelector=metadata.name%3Dtoken"), 200);
  assert.equal(await status("/api/v1/namespaces/default/secrets?fieldSelector=metadata.name!%3Dtoken"), 403);
  assert.equal(await status("/apis/apps/v1/namespaces/default/deployments/none/scale"), 404);
});

test("an update that would create needs the right to create", async () => {
  const admin = await startApi();
  const leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
  await grant(admin, [
    { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["update", "patch"] },
    { apiGroups: [""], resources: ["configmaps"], verbs: ["patch"] },
  ]);
  const talk = asJane(admin.api);
  const put = await talk.put(`${leases}/new`, { metadata: { name: "new" } });
  assert.deepEqual([put.status, put.text.includes('cannot create resource \\"leases\\"')], [403, true]);
  const applied = await talk.send(
    "PATCH",
    "/api/v1/namespaces/default/configmaps/new?fieldManager=me",
    { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "new" } },
    { "content-type": "application/apply-patch+yaml" },
  );
  assert.equal(applied.status, 403);
  assert.equal((await admin.get("/api/v1/namespaces/default/configmaps/new")).status, 404);
});

test("subjects are users, groups and service accounts", async () => {
  const admin = await startApi();
  const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["list"] }];
  await makeRole(admin, "reader", rules);
  await bind(admin, "of-group", { kind: "Group", name: "team" }, "reader");
  await bind(admin, "of-account", { kind: "ServiceAccount", name: "robot", namespace: "elsewhere" }, "reader");
  const listAs = async (user: string, ...groups: string[]) =>
    (await talkAs(admin.api, { user, groups }).get(pods)).status;
  assert.equal(await listAs("anna", "team"), 200);
  assert.equal(await listAs("team", "other"), 403);
  assert.equal(await listAs("system:serviceaccount:elsewhere:robot"), 200);
  assert.equal(await listAs("system:serviceaccount:default:robot"), 403);
  assert.equal((await admin.remove(`${rbac}/namespaces/default/rolebindings/of-group`)).status, 200);
  assert.equal(await listAs("anna", "team"), 403, "a right ends with its binding");
});

test("a binding to a role that does not exist says so", async () => {
  const admin = await startApi();
  await bind(admin, "dangling", jane, "absent");
  const { failure } = await asJane(admin.api).get(pods);
  assert.match(failure.message ?? "", /: RBAC: role\.rbac\.authorization\.k8s\.io "absent" not found$/);
});

test("nobody grants what they do not have", async () => {
  const admin = await startApi();
  await grant(admin, [
    {
      apiGroups: ["rbac.authorization.k8s.io"],
      resources: ["roles", "rolebindings"],
      verbs: ["create", "update", "get"],
    },
    { apiGroups: [""], resources: ["pods"], verbs: ["get"] },
  ]);
  const talk = asJane(admin.api);
  const roles = `${rbac}/namespaces/default/roles`;
  const secretRule = { apiGroups: [""], resources: ["secrets"], verbs: ["get", "list"] };
  const held = { apiGroups: [""], resources: ["pods"], verbs: ["get"], resourceNames: ["one"] };
  assert.equal((await talk.post(roles, { metadata: { name: "fine" }, rules: [held] })).status, 201);
  const refused = await talk.post(roles, { metadata: { name: "more" }, rules: [held, secretRule] });
  assert.equal(refused.status, 403);
  assert.equal(
    refused.failure.message,
    'roles.rbac.authorization.k8s.io "more" is forbidden: user "jane" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list"]}',
  );
  const changed = await talk.put(`${roles}/fine`, { metadata: { name: "fine" }, rules: [secretRule] });
  assert.equal(changed.status, 403);
  const bindings = `${rbac}/namespaces/default/rolebindings`;
  const toAdmin = {
    metadata: { name: "up" },
    roleRef: { kind: "ClusterRole", name: "cluster-admin" },
    subjects: [jane],
  };
  assert.equal((await talk.post(bindings, toAdmin)).status, 403);
  const toNone = { metadata: { name: "none" }, roleRef: { kind: "Role", name: "absent" }, subjects: [jane] };
  assert.equal((await talk.post(bindings, toNone)).status, 404);
  const toOwn = { metadata: { name: "again" }, roleRef: { kind: "Role", name: "fine" }, subjects: [jane] };
  assert.equal((await talk.post(bindings, toOwn)).status, 201);
  await admin.put(`${roles}/own`, {
    metadata: { name: "own" },
    rules: [
      { apiGroups: ["rbac.authorization.k8s.io"], resources: ["roles", "rolebindings"], verbs: ["create", "escalate"] },
      {
        apiGroups: ["rbac.authorization.k8s.io"],
        resources: ["clusterroles"],
        verbs: ["bind"],
        resourceNames: ["edit"],
      },
    ],
  });
  assert.equal((await talk.post(roles, { metadata: { name: "more" }, rules: [secretRule] })).status, 201);
  assert.equal((await talk.post(bindings, toAdmin)).status, 403);
  const toEdit = { metadata: { name: "edit" }, roleRef: { kind: "ClusterRole", name: "edit" }, subjects: [jane] };
  assert.equal((await talk.post(bindings, toEdit)).status, 201);
});

test("view, edit and admin take over the rules of roles with their labels", async () => {
  const admin = await startApi();
  await admin.post(`${rbac}/clusterrolebindings`, {
    metadata: { name: "viewers" },
    roleRef: { kind: "ClusterRole", name: "view" },
    subjects: [jane],
  });
  const talk = asJane(admin.api);
  assert.equal((await talk.get("/api/v1/pods")).status, 200);
  assert.equal((await talk.get("/api/v1/secrets")).status, 403, "view shows no secrets");
  assert.equal((await talk.post(pods, {})).status, 403);
  assert.equal((await talk.get("/api/v1/nodes")).status, 403);
  await admin.post(`${rbac}/clusterroles`, {
    metadata: { name: "more", labels: { "rbac.authorization.k8s.io/aggregate-to-view": "true" } },
    rules: [{ apiGroups: [""], resources: ["nodes"], verbs: ["list"] }],
  });
  await admin.api.idle();
  assert.equal((await talk.get("/api/v1/nodes")).status, 200);
  await admin.remove(`${rbac}/clusterroles/more`);
  await admin.api.idle();
  assert.equal((await talk.get("/api/v1/nodes")).status, 403);
});

test("impersonation needs the verb for every part of the identity", async () => {
  const admin = await startApi();
  const whoAmI = (talk: Talk, headers: Record<string, string>) =>
    talk.send("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", {}, headers);
  const bob = { "impersonate-user": "bob", "impersonate-group": "team\nwith, comma" };
  const observed = await whoAmI(talkAs(admin.api, { user: "root", groups: ["system:masters"] }), bob);
  assert.deepEqual(observed.json.status.userInfo, { username: "bob", groups: ["team", "with, comma", everyone] });
  const talk = asJane(admin.api);
  const refused = await whoAmI(talk, { "impersonate-user": "bob" });
  assert.equal(
    refused.failure.message,
    'users "bob" is forbidden: User "jane" cannot impersonate resource "users" in API group "" at the cluster scope',
  );
  await admin.post(`${rbac}/clusterroles`, {
    metadata: { name: "as-bob" },
    rules: [{ apiGroups: [""], resources: ["users"], verbs: ["impersonate"], resourceNames: ["bob"] }],
  });
  await admin.post(`${rbac}/clusterrolebindings`, {
    metadata: { name: "as-bob" },
    roleRef: { kind: "ClusterRole", name: "as-bob" },
    subjects: [jane],
  });
  assert.equal((await whoAmI(talk, { "impersonate-user": "bob" })).status, 201);
  assert.equal((await whoAmI(talk, { "impersonate-user": "eve" })).status, 403);
  const asMaster = await whoAmI(talk, { "impersonate-user": "bob", "impersonate-group": "system:masters" });
  assert.match(asMaster.failure.message ?? "", /cannot impersonate resource "groups"/);
  assert.equal((await whoAmI(talk, { "impersonate-group": "system:masters" })).status, 400);
  const account = { "impersonate-user": "system:serviceaccount:default:robot" };
  assert.match(
    (await whoAmI(talk, account)).failure.message ?? "",
    /^serviceaccounts "robot" is forbidden: .* in the namespace "default"$/,
  );
});

test("access reviews answer as the rules decide", async () => {
  const admin = await startApi();
  await grant(admin, [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }]);
  const path = "/apis/authorization.k8s.io/v1";
  const attributes = { namespace: "default", verb: "get", resource: "pods" };
  const ask = async (talk: Talk, kind: string, spec: object) =>
    (await talk.post(`${path}/${kind}`, { spec })).json.status;
  const talk = asJane(admin.api);
  assert.deepEqual(await ask(talk, "selfsubjectaccessreviews", { resourceAttributes: attributes }), {
    allowed: true,
    reason: 'RBAC: allowed by RoleBinding "own/default" of Role "own" to User "jane"',
  });
  assert.deepEqual(
    await ask(talk, "selfsubjectaccessreviews", { resourceAttributes: { ...attributes, verb: "delete" } }),
    { allowed: false },
  );
  assert.equal((await talk.post(`${path}/subjectaccessreviews`, { spec: {} })).status, 403);
  const subject = { user: "jane", resourceAttributes: attributes };
  assert.equal((await ask(admin, "subjectaccessreviews", subject)).allowed, true);
  assert.equal((await ask(admin, "subjectaccessreviews", { ...subject, user: "eve" })).allowed, false);
  assert.equal((await ask(admin, "namespaces/default/localsubjectaccessreviews", subject)).allowed, true);
  const rules = await ask(talk, "selfsubjectrulesreviews", { namespace: "default" });
  assert.ok(rules.resourceRules.some((rule: { resources: string[] }) => rule.resources.includes("pods")));
  const elsewhere = await ask(talk, "selfsubjectrulesreviews", { namespace: "kube-system" });
  assert.ok(!elsewhere.resourceRules.some((rule: { resources: string[] }) => rule.resources.includes("pods")));
});
