import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import { createAccountTokens } from "@trivium/apiserver";
import { startApi } from "./harness.ts";

const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const key = privateKey.export({ type: "pkcs8", format: "pem" }) as string;
const accounts = "/api/v1/namespaces/default/serviceaccounts";
const tokenReviews = "/apis/authentication.k8s.io/v1/tokenreviews";

async function startWithTokens() {
  const time = { now: Date.UTC(2026, 0, 1) };
  const admin = { user: "admin", groups: ["system:masters"] };
  const harness = await startApi({
    clock: () => time.now,
    tokens: createAccountTokens(key),
    otherTokens: (token) => (token === "admins" ? admin : undefined),
  });
  const { uid } = (await harness.post(accounts, { metadata: { name: "robot" } })).json.metadata;
  const request = async (spec: object = {}) =>
    (await harness.post(`${accounts}/robot/token`, { spec })).json.status.token;
  const review = async (token: string, audiences?: string[]) =>
    (await harness.post(tokenReviews, { spec: { token, audiences } })).json.status;
  return { ...harness, time, uid, request, review };
}

test("a token opens the door as its service account until it expires", async () => {
  const { api, time, uid, request } = await startWithTokens();
  const token = await request();
  const owner = api.tokenOwner(token);
  assert.deepEqual(
    { ...owner, extra: undefined },
    {
      user: "system:serviceaccount:default:robot",
      uid,
      groups: ["system:serviceaccounts", "system:serviceaccounts:default", "system:authenticated"],
      extra: undefined,
    },
  );
  assert.equal(api.tokenOwner(token), owner, "one identity for each token");
  time.now += 3600_000 - 1000;
  assert.equal(api.tokenOwner(token), owner);
  time.now += 1000;
  assert.equal(api.tokenOwner(token), undefined);
  assert.equal(api.tokenOwner("nonsense"), undefined);
});

test("a token ends with its account, even when another of that name comes", async () => {
  const { api, request, remove, post } = await startWithTokens();
  const token = await request();
  await remove(`${accounts}/robot`);
  assert.equal(api.tokenOwner(token), undefined);
  await post(accounts, { metadata: { name: "robot" } });
  assert.equal(api.tokenOwner(token), undefined);
});

test("a token for somebody else does not open this door", async () => {
  const { api, request, review } = await startWithTokens();
  const token = await request({ audiences: ["vault"] });
  assert.equal(api.tokenOwner(token), undefined);
  assert.deepEqual(await review(token), {
    user: {},
    error:
      '[invalid bearer token, token audiences ["vault"] is invalid for the target audiences ["https://kubernetes.default.svc"]]',
  });
  const theirs = await review(token, ["vault", "other"]);
  assert.deepEqual([theirs.authenticated, theirs.audiences], [true, ["vault"]]);
});

test("a token bound to a pod ends with the pod", async () => {
  const { api, request, post, remove } = await startWithTokens();
  const pods = "/api/v1/namespaces/default/pods";
  const containers = [{ name: "m", image: "i" }];
  const made = await post(pods, { metadata: { name: "p" }, spec: { serviceAccountName: "robot", containers } });
  const boundObjectRef = { kind: "Pod", apiVersion: "v1", name: "p" };
  const token = await request({ boundObjectRef });
  const claims = JSON.parse(Buffer.from(token.split(".")[1], "base64url").toString())["kubernetes.io"];
  assert.deepEqual(claims.pod, { name: "p", uid: made.json.metadata.uid });
  assert.ok(api.tokenOwner(token));
  await remove(`${pods}/p?gracePeriodSeconds=0`);
  assert.equal(api.tokenOwner(token), undefined);
  const refused = await post(`${accounts}/robot/token`, { spec: { boundObjectRef } });
  assert.equal(refused.failure.message, 'pods "p" not found');
});

test("a request that asks for too much or for another account is refused", async () => {
  const { post } = await startWithTokens();
  const message = async (body: object) => (await post(`${accounts}/robot/token`, body)).failure.message;
  assert.equal(
    await message({ spec: { expirationSeconds: 10 } }),
    'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 10: may not specify a duration less than 10 minutes',
  );
  assert.equal(
    await message({ metadata: { name: "other" } }),
    'TokenRequest.authentication.k8s.io "robot" is invalid: metadata.name: Invalid value: "other": must match the service account name if specified',
  );
});

test("a token review tells whose token it is, and nothing of others", async () => {
  const { review, request, post, uid } = await startWithTokens();
  const { user, ...rest } = await review(await request());
  assert.deepEqual(rest, { authenticated: true, audiences: ["https://kubernetes.default.svc"] });
  assert.deepEqual([user.username, user.uid], ["system:serviceaccount:default:robot", uid]);
  assert.match(user.extra["authentication.kubernetes.io/credential-id"][0], /^JTI=/);
  assert.equal((await review("admins")).user.username, "admin");
  assert.deepEqual(await review("bad"), { user: {}, error: "invalid bearer token" });
  const empty = await post(tokenReviews, { spec: {} });
  assert.deepEqual([empty.status, empty.failure.message], [400, "token is required for TokenReview in authentication"]);
});

test("access reviews refuse what they cannot read", async () => {
  const { post } = await startWithTokens();
  const group = "/apis/authorization.k8s.io/v1";
  const resourceAttributes = { verb: "get", resource: "pods", namespace: "default" };
  const ask = async (path: string, spec: object) => (await post(`${group}/${path}`, { spec })).json;
  const local = "namespaces/default/localsubjectaccessreviews";
  for (const path of ["subjectaccessreviews", local]) {
    const { status, spec } = await ask(path, { user: "jane", resourceAttributes });
    assert.deepEqual(status, { allowed: false });
    assert.deepEqual(spec, { user: "jane", resourceAttributes });
  }
  assert.equal(
    (await ask("subjectaccessreviews", { user: "system:anonymous", resourceAttributes })).status.allowed,
    false,
  );
  const is = (fault: string) => `.authorization.k8s.io "" is invalid: ${fault}`;
  assert.equal(
    (await ask("subjectaccessreviews", { resourceAttributes })).message,
    is('spec.user: Invalid value: "": at least one of user or group must be specified'),
  );
  assert.equal(
    (await ask(local, { user: "x", resourceAttributes: { ...resourceAttributes, namespace: "other" } })).message,
    is('spec.resourceAttributes.namespace: Invalid value: "other": must match metadata.namespace'),
  );
  assert.equal(
    (await ask(local, { user: "x", nonResourceAttributes: { path: "/", verb: "get" } })).message,
    is('spec.nonResourceAttributes: Invalid value: {"Path":"/","Verb":"get"}: disallowed on this kind of request'),
  );
  assert.equal((await ask("selfsubjectrulesreviews", {})).message, "no namespace on request");
  const rules = await ask("selfsubjectrulesreviews", { namespace: "default" });
  assert.deepEqual(rules.status.resourceRules, [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }], "cluster-admin");
});
