import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { issueCertificate } from "../../src/http/certificate.ts";
import { identity, json, serving, whoAmI } from "./serving.ts";

describe("who may come in", () => {
  it("the administrator by token, another by its own, a client by certificate", async () => {
    await using served = await serving(whoAmI);
    assert.equal(JSON.parse((await served.ask("/api")).body).user, "trivium-admin");
    const robot = await served.ask("/api", { as: { token: "robots-token" } });
    assert.deepEqual(JSON.parse(robot.body), { user: "robot", groups: ["robots"] });
    const byCertificate = await served.ask("/api", { as: identity.admin });
    assert.deepEqual(JSON.parse(byCertificate.body), {
      user: "trivium-admin",
      groups: ["system:masters", "system:authenticated"],
    });
  });

  it("nobody without a credential, with a wrong one, or with a certificate that somebody else signed", async () => {
    await using served = await serving(whoAmI);
    const now = new Date();
    const stranger = issueCertificate({ commonName: "ca", use: { is: "authority" }, days: 9, now });
    const forged = issueCertificate(
      { commonName: "trivium-admin", organizations: ["system:masters"], use: { is: "client" }, days: 9, now },
      stranger,
    );
    const selfSigned = issueCertificate({ commonName: "trivium-admin", use: { is: "client" }, days: 9, now });
    const attempts = ["nobody", { token: "wrong" }, { token: `${identity.token}x` }, forged, selfSigned] as const;
    for (const as of attempts) {
      const answer = await served.ask("/api/v1/pods", { as });
      assert.equal(answer.status, 401);
      assert.deepEqual(JSON.parse(answer.body), {
        kind: "Status",
        apiVersion: "v1",
        metadata: {},
        status: "Failure",
        message: "Unauthorized",
        reason: "Unauthorized",
        code: 401,
      });
    }
    const basic = await served.ask("/api", { as: "nobody", headers: { authorization: "Basic YTpi" } });
    assert.equal(basic.status, 401);
  });

  it("anybody for health and version, and only for them", async () => {
    await using served = await serving(whoAmI);
    for (const path of ["/healthz", "/livez", "/readyz", "/readyz?verbose", "/version"]) {
      assert.equal((await served.ask(path, { as: "nobody" })).status, 200, path);
    }
    assert.equal((await served.ask("/healthz", { as: "nobody", method: "POST" })).status, 401);
    assert.equal((await served.ask("/metrics", { as: "nobody" })).status, 401);
  });

  it("whom a caller asks to act as", async () => {
    await using served = await serving(async (request) => json(request.headers));
    const asked = { "impersonate-user": "jane", "impersonate-group": ["dev", "a, b"] };
    const answer = await served.ask("/api", { headers: asked });
    const { "impersonate-user": user, "impersonate-group": group } = JSON.parse(answer.body);
    assert.deepEqual([user, group], ["jane", "dev\na, b"], "the API itself decides whether they may");
  });

  it("without its credential being passed on", async () => {
    await using served = await serving(async (request) => json(request.headers));
    assert.ok(!(await served.ask("/api")).body.includes(identity.token));
  });
});
