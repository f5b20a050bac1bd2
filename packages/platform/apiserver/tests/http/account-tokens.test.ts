import assert from "node:assert/strict";
import { after, test } from "node:test";
import { builtInResources, createAccountTokens, createApi, openMemoryStore, serveHttps } from "@trivium/apiserver";
import { clientOf } from "./client.ts";
import { identity } from "./serving.ts";

const accounts = "/api/v1/namespaces/default/serviceaccounts";
const whoAmI = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
const json = { "content-type": "application/json" };

/** The whole API behind its door, as the local control plane puts it together. */
async function startServer() {
  const reported: string[] = [];
  const store = await openMemoryStore();
  const note = (what: string, error: unknown) => reported.push(`${what} ${String(error)}`);
  const tokens = createAccountTokens(identity.accountKey);
  const api = createApi({ store, resources: builtInResources(), tokens, log: note });
  await api.ready;
  const server = await serveHttps(api, { identity, tokens: api.tokenOwner, report: note });
  after(async () => {
    await server.close();
    await api.close();
    await store.close();
  });
  const { ask } = clientOf(server, identity);
  const post = (path: string, body: object, as?: { token: string }) =>
    ask(path, { method: "POST", headers: json, body: JSON.stringify(body), ...(as === undefined ? {} : { as }) });
  return { ask, post, reported };
}

test("a service account comes in with the token that was made for it, and no longer once it is gone", async () => {
  const { ask, post, reported } = await startServer();
  await post(accounts, { metadata: { name: "robot" } });
  const { token } = JSON.parse((await post(`${accounts}/robot/token`, { spec: {} })).body).status;
  const observed = JSON.parse((await post(whoAmI, {}, { token })).body).status.userInfo;
  assert.equal(observed.username, "system:serviceaccount:default:robot");
  assert.deepEqual(observed.groups, [
    "system:serviceaccounts",
    "system:serviceaccounts:default",
    "system:authenticated",
  ]);
  const refused = await ask(accounts, { as: { token } });
  assert.equal(refused.status, 403, "an account without a role may nothing");
  assert.match(refused.body, /User \\"system:serviceaccount:default:robot\\" cannot list resource/);
  const rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/default";
  const rules = [{ apiGroups: [""], resources: ["serviceaccounts"], verbs: ["list", "delete"] }];
  await post(`${rbac}/roles`, { metadata: { name: "robots" }, rules });
  await post(`${rbac}/rolebindings`, {
    metadata: { name: "robots" },
    roleRef: { kind: "Role", name: "robots" },
    subjects: [{ kind: "ServiceAccount", name: "robot" }],
  });
  assert.equal((await ask(accounts, { as: { token } })).status, 200);
  assert.equal((await ask(accounts, { as: { token: `${token.slice(0, -4)}AAAA` } })).status, 401);
  assert.equal((await ask(`${accounts}/robot`, { method: "DELETE", as: { token } })).status, 200);
  assert.equal((await ask(accounts, { as: { token } })).status, 401);
  assert.deepEqual(reported, []);
});
