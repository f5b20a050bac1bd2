import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { KeptSession } from "../src/connection.ts";
import { type Fixture, startFixture } from "./fixture.ts";

const pods = "/k8s/api/v1/namespaces/default/pods";

describe("the start token", () => {
  let fixture: Fixture;
  before(async () => {
    fixture = await startFixture();
  });
  after(() => fixture.stop());

  it("is exchanged once, for a cookie that no script reads and no other site sends", async () => {
    const before = await fixture.call("/session");
    assert.deepEqual(before.json, { needsLogin: true, isReadOnly: false, version: "1.2.3", login: "start-token" });
    assert.equal((await fixture.call(pods)).json.error?.code, "LoginRequired");
    const [token = ""] = fixture.tokens;
    const answer = await fixture.call("/session", { method: "POST", body: { token } });
    assert.equal(answer.status, 200);
    const [cookie = ""] = answer.headers["set-cookie"] ?? [];
    assert.match(cookie, new RegExp(`^trivium-session-${fixture.port}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Strict$`));
    assert.equal(answer.json.needsLogin, false);
    assert.equal((answer.json.user as { name: string }).name, "trivium-admin");
    assert.ok(!answer.text.includes(token));
    assert.equal((await fixture.call(pods, { cookie: cookie.split(";", 1)[0] })).status, 200);
    const again = await fixture.call("/session", { method: "POST", body: { token } });
    assert.deepEqual([again.status, again.json.error?.code], [401, "LoginFailed"]);
    assert.equal(fixture.tokens.length, 2, "the next one was published");
    await fixture.logIn(fixture.tokens[1]);
  });

  it("a wrong one, a missing one and one of another form are refused without repeating it", async () => {
    for (const body of [
      { token: "wrong-secret" },
      {},
      { token: 1 },
      { token: "" },
      "[]",
      '{"token":"wrong-secret',
      "null",
    ]) {
      const { status, text } = await fixture.call("/session", { method: "POST", body });
      assert.ok([400, 401].includes(status), text);
      assert.doesNotMatch(text, /wrong-secret/);
    }
    const large = await fixture.call("/session", { method: "POST", body: { token: "x".repeat(64 * 1024) } });
    assert.equal(large.status, 413);
    assert.equal((await fixture.call("/session?token=x", { method: "PUT" })).status, 405);
  });

  it("an id that a browser brought along is never taken over", async () => {
    const planted = `trivium-session-${fixture.port}=${"A".repeat(43)}`;
    assert.equal((await fixture.call(pods, { cookie: planted })).status, 401);
    const { headers } = await fixture.call("/session", {
      method: "POST",
      cookie: planted,
      body: { token: fixture.tokens.at(-1) ?? "" },
    });
    assert.ok(!String(headers["set-cookie"]).includes("AAAA"));
    assert.equal((await fixture.call(pods, { cookie: planted })).status, 401);
  });

  it("the session ends with log-out, for every holder of its id", async () => {
    const cookie = await fixture.logIn();
    const { headers } = await fixture.call("/session", { method: "DELETE", cookie });
    assert.match(String(headers["set-cookie"]), /Max-Age=0/);
    assert.equal((await fixture.call(pods, { cookie })).status, 401);
  });

  it("behind TLS the cookie is sent over TLS only", async () => {
    const { headers } = await fixture.call("/session", {
      method: "POST",
      headers: { "x-forwarded-proto": "https" },
      body: { token: fixture.tokens.at(-1) ?? "" },
    });
    assert.match(String(headers["set-cookie"]), /; Secure$/);
  });
});

describe("the life of a session", () => {
  it("guesses do not lock the owner of the start token out", async (t) => {
    const fixture = await startFixture();
    t.after(() => fixture.stop());
    for (let i = 0; i < 70; i++)
      assert.equal((await fixture.call("/session", { method: "POST", body: { token: `guess-${i}` } })).status, 401);
    assert.ok(await fixture.logIn());
  });

  it("a user with many sessions loses the one that was not used for longest, and others get in", async (t) => {
    const limits = { idleMs: 60_000, totalMs: 60_000, maxSessions: 100, maxSessionsPerUser: 2 };
    const fixture = await startFixture({ limits, login: "cluster-token" });
    t.after(() => fixture.stop());
    const [many, other] = [await fixture.account("many", []), await fixture.account("other", [])];
    const cookies = [await fixture.logIn(many), await fixture.logIn(many)];
    const kept = await fixture.logIn(other);
    const needsLogin = async (cookie = "") => (await fixture.call("/session", { cookie })).json.needsLogin as boolean;
    await needsLogin(cookies[0]);
    cookies.push(await fixture.logIn(many));
    const gone = [];
    for (const cookie of [...cookies, kept]) gone.push(await needsLogin(cookie));
    assert.equal(gone.filter(Boolean).length, 1);
    assert.deepEqual(gone.slice(2), [false, false]);
  });

  it("ends when it is idle, and at the latest after its time", async () => {
    const clock = { now: 1_000_000 };
    const limits = { idleMs: 1_000, totalMs: 5_000, maxSessions: 2, maxSessionsPerUser: 20 };
    const fixture = await startFixture({ limits, now: () => clock.now });
    const idle = await fixture.logIn();
    clock.now += 1_000;
    assert.equal((await fixture.call(pods, { cookie: idle })).status, 401);
    const used = await fixture.logIn();
    for (let step = 0; step < 6; step += 1) {
      clock.now += 800;
      assert.equal((await fixture.call(pods, { cookie: used })).status, 200);
    }
    clock.now += 800;
    assert.equal((await fixture.call(pods, { cookie: used })).status, 401);
    await fixture.logIn();
    await fixture.logIn();
    const { status } = await fixture.call("/session", { method: "POST", body: { token: fixture.tokens.at(-1) ?? "" } });
    assert.equal(status, 429, "no more sessions than the limit");
    await fixture.stop();
  });
});

describe("a restart", () => {
  it("keeps the sessions that were not ended, without writing down an id", async () => {
    let list: readonly KeptSession[] = [];
    const kept = {
      load: () => list,
      save: (next: readonly KeptSession[]) => {
        list = next;
      },
    };
    const first = await startFixture({ kept });
    const [open, closed] = [await first.logIn(), await first.logIn()];
    await first.call("/session", { method: "DELETE", cookie: closed });
    await first.stop();
    assert.equal(list.length, 1);
    const idOf = (cookie: string) => cookie.split("=")[1] ?? "";
    assert.ok(!JSON.stringify(list).includes(idOf(open)));
    const second = await startFixture({ kept });
    const statusOf = async (cookie: string) =>
      (await second.call(pods, { cookie: `trivium-session-${second.port}=${idOf(cookie)}` })).status;
    assert.deepEqual([await statusOf(open), await statusOf(closed)], [200, 401]);
    await second.stop();
    list = list.map((one) => ({ ...one, endsAt: Date.now() - 1 }));
    const third = await startFixture({ kept });
    assert.equal((await third.call(pods, { cookie: `trivium-session-${third.port}=${idOf(open)}` })).status, 401);
    await third.stop();
  });
});

describe("a token of the cluster", () => {
  let fixture: Fixture;
  before(async () => {
    fixture = await startFixture({ login: "cluster-token" });
  });
  after(() => fixture.stop());

  it("gives its user's rights, and no others", async () => {
    const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["get", "list", "watch"] }];
    const token = await fixture.account("viewer", rules);
    const cookie = await fixture.logIn(token);
    const { json } = await fixture.call("/session", { cookie });
    assert.equal((json.user as { name: string }).name, "system:serviceaccount:default:viewer");
    assert.equal((await fixture.call(pods, { cookie })).status, 200);
    const maps = await fixture.call("/k8s/api/v1/namespaces/default/configmaps", { cookie });
    assert.deepEqual([maps.status, (maps.json as { reason?: string }).reason], [403, "Forbidden"]);
    const asked = await fixture.call("/k8s/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", {
      method: "POST",
      cookie,
      body: {
        apiVersion: "authorization.k8s.io/v1",
        kind: "SelfSubjectAccessReview",
        spec: { resourceAttributes: { verb: "delete", resource: "pods", namespace: "default" } },
      },
    });
    assert.equal((asked.json as { status?: { allowed?: boolean } }).status?.allowed, false);
    assert.doesNotMatch(JSON.stringify(await fixture.call("/session", { cookie })), new RegExp(token));
  });

  it("one that the cluster does not accept is refused, and never repeated or logged", async () => {
    for (const token of ["not-a-real-token", "a b", "a\r\nx-evil: 1", "ä", "x".repeat(20_000)]) {
      const { status, text, json } = await fixture.call("/session", { method: "POST", body: { token } });
      assert.deepEqual([status, json.error?.code], [401, "LoginFailed"], token.slice(0, 20));
      assert.ok(!text.includes(token));
    }
    assert.deepEqual(fixture.logged, []);
  });

  it("ends the session when the cluster refuses it later", async () => {
    const token = await fixture.account("short", [{ apiGroups: [""], resources: ["pods"], verbs: ["list"] }]);
    const cookie = await fixture.logIn(token);
    assert.equal((await fixture.call(pods, { cookie })).status, 200);
    await fixture.client.delete(
      { group: "", version: "v1", kind: "ServiceAccount", plural: "serviceaccounts", namespaced: true },
      { namespace: "default", name: "short" },
    );
    assert.equal((await fixture.call(pods, { cookie })).status, 401);
    assert.equal((await fixture.call("/session", { cookie })).json.needsLogin, true);
  });

  it("guesses are limited", async () => {
    const guess = () => fixture.call("/session", { method: "POST", body: { token: "guess" } });
    const statuses: number[] = [];
    for (let count = 0; count < 70; count += 1) statuses.push((await guess()).status);
    assert.equal(statuses.at(-1), 429);
    assert.ok(statuses.filter((status) => status === 401).length <= 60);
  });
});
