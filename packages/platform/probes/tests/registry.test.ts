import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, type TestContext, test } from "node:test";
import { imageConfig, type RegistrySecrets, registryRepositories, registryTags } from "@trivium/domain";
import { sha256Hex } from "@trivium/std";
import { type AnswerOptions, asker, nobody, secretOf } from "./asking.ts";

type Route = (request: IncomingMessage, response: ServerResponse) => void;

async function serve(t: TestContext, route: Route): Promise<{ host: string; base: string; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    route(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { host, base: `http://${host}`, asked };
}

const place = (registry: string) => ({
  registry,
  repository: "team/aim",
  reference: "1.0",
  platform: "linux/amd64",
  logins: nobody,
});
const answering =
  (status: number, text: string, headers: Record<string, string> = {}): Route =>
  (_, response) => {
    response.writeHead(status, headers).end(text);
  };

/** A registry of one image with these labels, moving with each change of `labels`. */
function oneImage(state: { config: string }): Route {
  return ({ url = "", method }, response) => {
    const digest = `sha256:${sha256Hex(state.config)}`;
    if (url.includes("/blobs/")) return void response.end(state.config);
    const manifest = JSON.stringify({ config: { digest, size: state.config.length }, layers: [] });
    response.setHeader("docker-content-digest", `sha256:${sha256Hex(manifest)}`);
    response.end(method === "HEAD" ? undefined : manifest);
  };
}

const withLabels = (labels: unknown): string =>
  JSON.stringify({ os: "linux", architecture: "amd64", config: { Labels: labels } });

describe("an image of a registry", () => {
  test("gives its labels, and once more only when its tag has moved", async (t) => {
    const state = { config: withLabels({ a: "1", number: 7, __proto__x: "y" }) };
    const { host, asked } = await serve(t, oneImage(state));
    const ask = asker(t);
    const first = await ask(imageConfig, place(host));
    assert.equal(first?.is, "image");
    assert.deepEqual(first.is === "image" && first.labels, { a: "1", __proto__x: "y" });
    assert.equal(asked.length, 2);
    assert.deepEqual(await ask(imageConfig, place(host)), first);
    assert.equal(asked.at(-1), "HEAD /v2/team/aim/manifests/1.0");
    assert.equal(asked.length, 3);
    state.config = withLabels({ a: "2" });
    const moved = await ask(imageConfig, place(host));
    assert.deepEqual(moved?.is === "image" && moved.labels, { a: "2" });
    assert.notEqual(moved?.is === "image" && moved.digest, first.is === "image" && first.digest);
  });

  const refusals: [string, Route, string][] = [
    ["401", answering(401, "no"), "unauthorized"],
    ["403", answering(403, "no"), "unauthorized"],
    ["404", answering(404, '{"errors":[{"code":"MANIFEST_UNKNOWN"}]}'), "not-found"],
    ["a manifest without configuration", answering(200, "{}"), "unreadable"],
    ["a manifest of a list", answering(200, '{"manifests":[]}'), "other-platform"],
    [
      "configuration of others",
      answering(200, `{"config":{"digest":"sha256:${"0".repeat(64)}","size":1}}`),
      "unreadable",
    ],
    [
      "a huge configuration",
      answering(200, `{"config":{"digest":"sha256:${"0".repeat(64)}","size":99999999}}`),
      "unreadable",
    ],
    [
      "configuration that is no JSON",
      (request, response) => oneImage({ config: "no" })(request, response),
      "unreadable",
    ],
    [
      "labels without end",
      (request, response) => oneImage({ config: withLabels({ a: "x".repeat(300_000) }) })(request, response),
      "unreadable",
    ],
  ];
  for (const [title, route, reason] of refusals) {
    test(`${title}: ${reason}`, async (t) => {
      const { host } = await serve(t, route);
      const reported = await asker(t)(imageConfig, place(host));
      assert.equal(reported?.is === "refused" && reported.reason, reason);
    });
  }

  const passing: [string, Route, RegExp][] = [
    ["429", answering(429, "slow down", { "retry-after": "5" }), /limits the request rate/],
    ["500", answering(500, "oops"), /500/],
    ["garbage", answering(200, "<html>"), /not a JSON object/],
    ["a connection that breaks", ({ socket }) => socket.destroy(), /socket|closed|reset/i],
  ];
  for (const [title, route, words] of passing) {
    test(`${title} is no answer, and asked again later`, async (t) => {
      const { host } = await serve(t, route);
      await assert.rejects(asker(t)(imageConfig, place(host)), words);
    });
  }

  test("that never comes is given up when time is", async (t) => {
    const { host } = await serve(t, () => {});
    await assert.rejects(asker(t, { signal: AbortSignal.timeout(50) })(imageConfig, place(host)));
  });

  test("at an address that is not allowed is not asked for", async (t) => {
    const { host, asked } = await serve(t, answering(200, "{}"));
    const reported = await asker(t, { addresses: "public" })(imageConfig, place(host));
    assert.equal(reported?.is === "refused" && reported.reason, "address-not-allowed");
    assert.deepEqual(asked, []);
  });
});

describe("logins of Secrets", () => {
  const guarded =
    (wanted: string): Route =>
    ({ headers, url = "", method }, response) => {
      const given = Buffer.from(headers.authorization?.replace("Basic ", "") ?? "", "base64").toString();
      if (given !== wanted) return void response.writeHead(401, { "www-authenticate": 'Basic realm="x"' }).end();
      oneImage({ config: withLabels({ ok: "1" }) })({ url, method } as IncomingMessage, response);
    };
  const cases: [string, (host: string) => AnswerOptions["secrets"]][] = [
    ["whole", (host) => [secretOf("s", { auths: { [host]: { auth: btoa("u:p") } } })]],
    ["as two halves", (host) => [secretOf("s", { auths: { [`http://${host}`]: { username: "u", password: "p" } } })]],
    [
      "by folder, the closest first",
      (host) => [secretOf("s", { auths: { [host]: { auth: btoa("x:x") }, [`${host}/team`]: { auth: btoa("u:p") } } })],
    ],
    ["in the old form", (host) => [secretOf("s", { [host]: { auth: btoa("u:p") } }, ".dockercfg")]],
    [
      "behind one that is broken",
      (host) => [
        { name: "broken", data: { ".dockerconfigjson": btoa("{") } },
        secretOf("s", { auths: { [host]: { auth: btoa("u:p") } } }),
      ],
    ],
  ];
  for (const [title, secrets] of cases) {
    test(`are found ${title}`, async (t) => {
      const { host } = await serve(t, guarded("u:p"));
      const given = secrets(host);
      const logins = { namespace: "ns", secrets: (given ?? []).map(({ name }) => ({ name, version: "1" })) };
      const reported = await asker(t, { secrets: given })(imageConfig, { ...place(host), logins });
      assert.equal(reported?.is, "image", JSON.stringify(reported));
    });
  }

  test("of others, and Secrets that are gone, open nothing, and nothing tells the password", async (t) => {
    const { host } = await serve(t, guarded("u:p"));
    const secrets = [
      secretOf("s", { auths: { [host]: { auth: btoa("u:hunter2") }, "other.io": { auth: btoa("u:p") } } }),
    ];
    const logins = { namespace: "ns", secrets: ["s", "gone"].map((name) => ({ name, version: "1" })) };
    const reported = await asker(t, { secrets })(imageConfig, { ...place(host), logins });
    assert.equal(reported?.is === "refused" && reported.reason, "unauthorized");
    assert.doesNotMatch(JSON.stringify(reported), /hunter2|aHVudGVyMg/);
  });
});

test("a token server is asked with the login, for the repository or for the catalog, and with nothing else", async (t) => {
  const requests: string[] = [];
  const tokens = await serve(t, ({ url = "", headers }, response) => {
    const { searchParams } = new URL(url, "http://x");
    const login = Buffer.from(headers.authorization?.replace("Basic ", "") ?? "", "base64").toString();
    requests.push(`${login} ${searchParams.get("service")} ${searchParams.get("scope")}`);
    if (login !== "u:p") return void response.writeHead(401).end();
    response.end(JSON.stringify({ token: `t.${btoa(searchParams.get("scope") ?? "").replaceAll("=", "")}` }));
  });
  const { host } = await serve(t, ({ url = "", method, headers }, response) => {
    const scope = url.startsWith("/v2/_catalog") ? "registry:catalog:*" : "repository:team/aim:pull";
    const wanted = `Bearer t.${btoa(scope).replaceAll("=", "")}`;
    const challenge = `Bearer realm="${tokens.base}/token",service="reg",scope="${scope}"`;
    if (headers.authorization !== wanted) return void response.writeHead(401, { "www-authenticate": challenge }).end();
    if (url.startsWith("/v2/_catalog")) return void response.end('{"repositories":["team/aim"]}');
    oneImage({ config: withLabels({ ok: "1" }) })({ url, method } as IncomingMessage, response);
  });
  const logins = { namespace: "ns", secrets: [{ name: "s", version: "1" }] };
  const ask = asker(t, { secrets: [secretOf("s", { auths: { [host]: { auth: btoa("u:p") } } })] });
  assert.equal((await ask(imageConfig, { ...place(host), logins }))?.is, "image");
  const listed = await ask(registryRepositories, { registry: host, prefix: "team/", logins, everyMs: 60_000 });
  assert.deepEqual(listed?.is === "repositories" && listed.repositories, ["team/aim"]);
  assert.deepEqual(requests, ["u:p reg repository:team/aim:pull", "u:p reg registry:catalog:*"]);
  const stranger = await ask(imageConfig, place(host));
  assert.equal(stranger?.is === "refused" && stranger.reason, "unauthorized");
});

describe("lists of a registry", () => {
  const every = { everyMs: 60_000, logins: nobody };

  test("are read page by page, and not beyond the registry", async (t) => {
    const { host, asked } = await serve(t, ({ url = "" }, response) => {
      const page = Number(new URL(url, "http://x").searchParams.get("last") ?? 0);
      const next =
        page < 2 ? `</v2/team/aim/tags/list?last=${page + 1}>; rel="next"` : "<http://evil.example/v2/>; rel=next";
      response.setHeader("link", next).end(JSON.stringify({ tags: [`1.${page}.0`, 7] }));
    });
    const reported = await asker(t)(registryTags, { registry: host, repository: "team/aim", ...every });
    assert.deepEqual(reported, { is: "tags", tags: ["1.0.0", "1.1.0", "1.2.0"], at: 1_000 });
    assert.equal(asked.length, 3);
  });

  test("without end are refused", async (t) => {
    const { host } = await serve(t, (_, response) => {
      response.setHeader("link", '</v2/team/aim/tags/list?last=1>; rel="next"').end('{"tags":["a"]}');
    });
    const reported = await asker(t)(registryTags, { registry: host, repository: "team/aim", ...every });
    assert.equal(reported?.is === "refused" && reported.reason, "unreadable");
  });

  test("that are empty, missing or closed say so", async (t) => {
    const rows: [Route, string][] = [
      [answering(200, '{"tags":null}'), "tags"],
      [answering(200, '{"name":"team/aim"}'), "tags"],
      [answering(200, '{"manifests":[]}'), "unreadable"],
      [answering(200, '{"tags":"x"}'), "unreadable"],
      [answering(404, ""), "not-found"],
      [answering(401, ""), "unauthorized"],
    ];
    for (const [route, outcome] of rows) {
      const { host } = await serve(t, route);
      const reported = await asker(t)(registryTags, { registry: host, repository: "team/aim", ...every });
      assert.equal(reported?.is === "refused" ? reported.reason : reported?.is, outcome);
    }
  });

  test("the catalog gives what starts like the filter", async (t) => {
    const { host, asked } = await serve(t, answering(200, '{"repositories":["team/aim-a","team/other","x"]}'));
    const reported = await asker(t)(registryRepositories, { registry: host, prefix: "team/aim", ...every });
    assert.deepEqual(reported?.is === "repositories" && reported.repositories, ["team/aim-a"]);
    assert.deepEqual(asked, ["GET /v2/_catalog?n=1000"]);
  });

  test("Docker Hub is asked by owner, page by page", async (t) => {
    const { base, asked } = await serve(t, ({ url = "" }, response) => {
      const isLast = url.includes("page=2");
      const results = isLast ? [{ name: "aim-b" }] : [{ name: "aim-a" }, { name: "../x y" }, {}];
      response.end(JSON.stringify({ next: isLast ? null : "http://evil.example/", results }));
    });
    const ask = asker(t, { hub: base });
    const reported = await ask(registryRepositories, { registry: "docker.io", prefix: "acme/aim-", ...every });
    assert.deepEqual(reported?.is === "repositories" && reported.repositories, ["acme/aim-a", "acme/aim-b"]);
    assert.deepEqual(asked, [
      "GET /v2/namespaces/acme/repositories?page_size=100&page=1",
      "GET /v2/namespaces/acme/repositories?page_size=100&page=2",
    ]);
    const all = await ask(registryRepositories, { registry: "docker.io", prefix: "", ...every });
    assert.equal(all?.is === "refused" && all.reason, "unsupported");
  });

  test("GitHub wants a token, and gets it from the Secret", async (t) => {
    const sent: unknown[] = [];
    const { base } = await serve(t, ({ headers }, response) => {
      sent.push(headers.authorization);
      response.end('[{"name":"aim-a"},{"name":"base"}]');
    });
    const secrets = [secretOf("s", { auths: { "ghcr.io": { auth: btoa("me:ghp_1") } } })];
    const ask = asker(t, { github: base, secrets });
    const query = { registry: "ghcr.io", prefix: "acme/aim-", ...every };
    const closed = await ask(registryRepositories, query);
    assert.equal(closed?.is === "refused" && closed.reason, "unauthorized");
    const logins = { namespace: "ns", secrets: [{ name: "s", version: "1" }] };
    const open = await ask(registryRepositories, { ...query, logins });
    assert.deepEqual(open?.is === "repositories" && open.repositories, ["acme/aim-a"]);
    assert.deepEqual(sent, ["Bearer ghp_1"]);
  });

  test("GitHub is asked for a person's packages where there is no such organisation", async (t) => {
    const { base, asked } = await serve(t, ({ url = "" }, response) => {
      if (url.startsWith("/orgs/")) return void response.writeHead(404).end();
      response.end('[{"name":"aim-a"}]');
    });
    const secrets = [secretOf("s", { auths: { "ghcr.io": { auth: btoa("me:ghp_1") } } })];
    const logins = { namespace: "ns", secrets: [{ name: "s", version: "1" }] };
    const query = { registry: "ghcr.io", prefix: "me/", everyMs: 60_000, logins };
    const reported = await asker(t, { github: base, secrets })(registryRepositories, query);
    assert.deepEqual(reported?.is === "repositories" && reported.repositories, ["me/aim-a"]);
    assert.deepEqual(
      asked.map((one) => one.split("?")[0]),
      ["GET /orgs/me/packages", "GET /users/me/packages"],
    );
  });

  describe("Docker Hub with a login", () => {
    const secrets = [secretOf("s", { auths: { "https://index.docker.io/v1/": { auth: btoa("me:pat:1") } } })];
    const logins = { namespace: "ns", secrets: [{ name: "s", version: "1" }] };
    const query = { registry: "docker.io", prefix: "acme/", everyMs: 60_000, logins };
    const textOf = async (request: IncomingMessage): Promise<string> => (await Array.fromAsync(request)).join("");

    test("gets a token for it, and shows what is private", async (t) => {
      const sent: unknown[] = [];
      const { base } = await serve(t, async (request, response) => {
        if (request.method === "POST") {
          sent.push(request.url, JSON.parse(await textOf(request)));
          return void response.end('{"access_token":"jwt.1"}');
        }
        const isKnown = request.headers.authorization === "Bearer jwt.1";
        response.end(JSON.stringify({ next: null, results: isKnown ? [{ name: "private" }] : [] }));
      });
      const reported = await asker(t, { hub: base, secrets })(registryRepositories, query);
      assert.deepEqual(reported?.is === "repositories" && reported.repositories, ["acme/private"]);
      assert.deepEqual(sent, ["/v2/auth/token", { identifier: "me", secret: "pat:1" }]);
    });

    test("of an older Hub goes the older way", async (t) => {
      const { base, asked } = await serve(t, ({ url, method }, response) => {
        if (url === "/v2/auth/token") return void response.writeHead(404).end();
        response.end(method === "POST" ? '{"token":"jwt.2"}' : '{"next":null,"results":[]}');
      });
      const reported = await asker(t, { hub: base, secrets })(registryRepositories, query);
      assert.equal(reported?.is, "repositories");
      assert.deepEqual(asked.slice(0, 2), ["POST /v2/auth/token", "POST /v2/users/login"]);
    });

    test("that is refused says so, and not what it was", async (t) => {
      const { base } = await serve(t, answering(401, '{"detail":"pat:1 is wrong"}'));
      const reported = await asker(t, { hub: base, secrets })(registryRepositories, query);
      assert.equal(reported?.is === "refused" && reported.reason, "unauthorized");
      assert.match(JSON.stringify(reported), /rejected the credentials/);
      assert.doesNotMatch(JSON.stringify(reported), /pat:1/);
    });
  });

  test("a registry without a catalog is told apart from one that wants a login", async (t) => {
    const { host } = await serve(t, answering(404, ""));
    const reported = await asker(t)(registryRepositories, { registry: host, prefix: "team/", ...every });
    assert.match((reported?.is === "refused" && reported.why) || "", /use filters without \*/);
  });
});

describe("a server that is asked too often", () => {
  const tags = (host: string, logins: RegistrySecrets = nobody) => ({
    registry: host,
    repository: "team/aim",
    everyMs: 60_000,
    logins,
  });

  test("is left alone as long as it says, by those with the same login", async (t) => {
    let isSpent = true;
    const { host, asked } = await serve(t, (_, response) =>
      isSpent ? void response.writeHead(429, { "retry-after": "60" }).end() : void response.end('{"tags":["1"]}'),
    );
    const clock = { now: 1_000 };
    const ask = asker(t, { now: () => clock.now });
    const words = /limits the request rate; retrying automatically after the wait it requests/;
    await assert.rejects(ask(registryTags, tags(host)), words);
    await assert.rejects(ask(registryTags, { ...tags(host), repository: "team/other" }), words);
    assert.equal(asked.length, 1);
    isSpent = false;
    const other = { namespace: "ns", secrets: [{ name: "own", version: "1" }] };
    assert.equal((await ask(registryTags, tags(host, other)))?.is, "tags");
    clock.now = 61_000;
    assert.equal((await ask(registryTags, tags(host)))?.is, "tags");
  });

  test("may say it as GitHub does, or not at all", async (t) => {
    const rows: [number, Record<string, string>, number][] = [
      [403, { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "31" }, 30_000],
      [429, { "x-retry-after": "11" }, 10_000],
      [429, { "retry-after": "9999999" }, 3_600_000],
    ];
    for (const [status, headers, wait] of rows) {
      const { host, asked } = await serve(t, answering(status, "", headers));
      const clock = { now: 1_000 };
      const ask = asker(t, { now: () => clock.now });
      await assert.rejects(ask(registryTags, tags(host)), /limits the request rate/);
      clock.now += wait - 1;
      await assert.rejects(ask(registryTags, tags(host)), /limits the request rate/);
      assert.equal(asked.length, 1, String(status));
      clock.now += 1;
      await assert.rejects(ask(registryTags, tags(host)), /limits the request rate/);
      assert.equal(asked.length, 2, String(status));
    }
    const { host, asked } = await serve(t, answering(429, ""));
    const ask = asker(t);
    for (let i = 0; i < 2; i += 1) await assert.rejects(ask(registryTags, tags(host)), /429/);
    assert.equal(asked.length, 2);
  });
});
