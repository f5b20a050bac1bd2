import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, connect, type Server } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createHttpClient, type HttpClientOptions } from "../src/transfer/http/http-client.ts";
import { folder } from "./stage.ts";

const signal = new AbortController().signal;

function client(t: TestContext, options: Partial<HttpClientOptions> = {}) {
  const made = createHttpClient({ environment: {}, addresses: "any", ...options });
  t.after(() => made.close());
  return {
    ...made,
    get: (url: string, credentials = {}) =>
      made.send({ method: "GET", url: new URL(url), headers: {}, credentials, signal }),
  };
}

async function listen(t: TestContext, server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  return (server.address() as AddressInfo).port;
}

async function serveWith(t: TestContext, answer: RequestListener): Promise<number> {
  const server = createServer(answer);
  t.after(() => server.closeAllConnections());
  return listen(t, server);
}

test("credentials follow a redirect on the same host and never to another", async (t) => {
  const observed: Record<string, IncomingHttpHeaders> = {};
  const other = await serveWith(t, (request, response) => {
    observed.other = request.headers;
    response.end("there");
  });
  const home = await serveWith(t, (request, response) => {
    observed[request.url ?? ""] = request.headers;
    if (request.url === "/a") response.writeHead(302, { location: "/b" }).end();
    else response.writeHead(307, { location: `http://127.0.0.1:${other}/c` }).end();
  });
  const answer = await client(t).get(`http://127.0.0.1:${home}/a`, { authorization: "Bearer secret" });
  assert.equal(await answer.body.text(), "there");
  assert.equal(observed["/a"]?.authorization, "Bearer secret");
  assert.equal(observed["/b"]?.authorization, "Bearer secret");
  assert.equal(observed.other?.authorization, undefined);
  assert.equal(answer.redirects.length, 2);
});

test("redirects without end and to strange places are refused", async (t) => {
  const port = await serveWith(t, (request, response) => {
    const location = request.url === "/file" ? "file:///etc/passwd" : request.url === "/bad" ? "http://[" : "/again";
    response.writeHead(302, { location }).end();
  });
  const { get } = client(t);
  await assert.rejects(get(`http://127.0.0.1:${port}/loop`), {
    kind: "unreachable",
    message: /more than 10 redirects/,
  });
  await assert.rejects(get(`http://127.0.0.1:${port}/file`), { reason: "UnsafeRedirect" });
  await assert.rejects(get(`http://127.0.0.1:${port}/bad`), { reason: "UnsafeRedirect" });
});

test("with public addresses only, neither an address nor a name nor a redirect leads inside", async (t) => {
  const port = await serveWith(t, (_, response) => response.end("inside"));
  const guarded = client(t, { addresses: "public" });
  for (const host of ["127.0.0.1", "[::1]", "localhost", "169.254.169.254", "0x7f000001"]) {
    await assert.rejects(
      guarded.get(`http://${host}:${port}/`),
      { kind: "not-allowed", reason: "AddressNotAllowed" },
      host,
    );
  }
});

test("a refused connection is unreachable and names the host but not the query", async (t) => {
  await assert.rejects(client(t).get("http://127.0.0.1:1/x?sig=s3cr3t"), (error: Error & { kind?: string }) => {
    assert.equal(error.kind, "unreachable");
    assert.match(error.message, /127\.0\.0\.1:1\/x/);
    assert.doesNotMatch(error.message, /s3cr3t/);
    return true;
  });
});

test("a proxy named in the environment is used, and NO_PROXY goes around it", async (t) => {
  let tunnels = 0;
  const target = await serveWith(t, (_, response) => response.end("target"));
  const proxy = createServer((request, response) => {
    tunnels++;
    const url = new URL(request.url ?? "");
    response.end(`forwarded ${url.pathname}`);
  });
  proxy.on("connect", (request, socket, head) => {
    tunnels++;
    const [host, port] = (request.url ?? "").split(":");
    const upstream = connect(Number(port), host === "models.example" ? "127.0.0.1" : host);
    upstream.on("connect", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      upstream.write(head);
      upstream.pipe(socket).pipe(upstream);
    });
    for (const end of [upstream, socket]) end.on("error", () => end.destroy());
    t.after(() => upstream.destroy());
  });
  const port = await listen(t, proxy);
  t.after(() => proxy.closeAllConnections());
  const environment = { HTTP_PROXY: `http://127.0.0.1:${port}`, NO_PROXY: "127.0.0.1" };
  const { get } = client(t, { environment });
  const through = await get(`http://models.example:${target}/x`);
  assert.match(await through.body.text(), /^(target|forwarded \/x)$/);
  assert.equal(tunnels, 1);
  assert.equal(await (await get(`http://127.0.0.1:${target}/x`)).body.text(), "target");
  assert.equal(tunnels, 1);
});

test("a certificate of one's own is trusted when the environment names it, and not otherwise; https never falls back to http", async (t) => {
  const dir = await folder(t);
  const [key, cert] = [join(dir, "key.pem"), join(dir, "cert.pem")];
  const args = [
    "req",
    "-x509",
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:P-256",
    "-nodes",
    "-keyout",
    key,
    "-out",
    cert,
  ];
  const made = spawnSync("openssl", [
    ...args,
    "-days",
    "2",
    "-subj",
    "/CN=models.test",
    "-addext",
    "subjectAltName=IP:127.0.0.1",
  ]);
  if (made.status !== 0) return t.skip("there is no openssl here");
  const server = createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) }, (request, response) => {
    if (request.url === "/down") response.writeHead(302, { location: "http://127.0.0.1:1/" }).end();
    else response.end("private");
  });
  const port = await listen(t, server);
  t.after(() => server.closeAllConnections());
  await assert.rejects(client(t).get(`https://127.0.0.1:${port}/`), {
    kind: "unreachable",
    message:
      /: the certificate of 127\.0\.0\.1:\d+ is not signed by a known authority; set SSL_CERT_FILE .*, or TRIVIUM_WEIGHTS_CERTIFICATES /,
  });
  const otherName = client(t, { environment: { SSL_CERT_FILE: cert } }).get(`https://localhost:${port}/`);
  await assert.rejects(otherName, {
    message: /: the certificate is not for localhost:\d+; use a name that it was issued/,
  });
  const plain = await serveWith(t, (_, response) => response.end());
  await assert.rejects(client(t).get(`https://127.0.0.1:${plain}/`), {
    message: /: 127\.0\.0\.1:\d+ does not use TLS on this port; use http:\/\/ or another port$/,
  });
  const trusting = client(t, { environment: { SSL_CERT_FILE: cert } });
  assert.equal(await (await trusting.get(`https://127.0.0.1:${port}/`)).body.text(), "private");
  await assert.rejects(trusting.get(`https://127.0.0.1:${port}/down`), { reason: "UnsafeRedirect" });
  assert.throws(() => client(t, { environment: { SSL_CERT_FILE: join(dir, "none") } }), { kind: "refused" });
  const mounted = join(dir, "mounted");
  mkdirSync(join(mounted, "..data"), { recursive: true });
  copyFileSync(cert, join(mounted, "company.crt"));
  const byFolder = client(t, { environment: { TRIVIUM_WEIGHTS_CERTIFICATES: mounted } });
  assert.equal(await (await byFolder.get(`https://127.0.0.1:${port}/`)).body.text(), "private");
  const nowhere = { TRIVIUM_WEIGHTS_CERTIFICATES: join(dir, "none") };
  assert.throws(() => client(t, { environment: nowhere }), { kind: "refused" });
});

test("with public addresses only, a proxy is not asked for what is inside, and itself may be", async (t) => {
  const asked: string[] = [];
  const proxy = createServer((request, response) => {
    asked.push(request.url ?? "");
    response.end("through");
  });
  proxy.on("connect", (request, socket) => {
    asked.push(request.url ?? "");
    socket.end("HTTP/1.1 502 No\r\n\r\n");
  });
  const port = await listen(t, proxy);
  t.after(() => proxy.closeAllConnections());
  const environment = { HTTP_PROXY: `http://localhost:${port}`, HTTPS_PROXY: `http://localhost:${port}` };
  const guarded = client(t, { environment, addresses: { publicAnd: ["mirror.internal"] } });
  for (const host of [
    "127.0.0.1",
    "[::1]",
    "[::ffff:10.0.0.1]",
    "localhost",
    "169.254.169.254",
    "2852039166",
    "metadata.google.internal",
    "metadata.google.internal.",
    "metadata",
    "minio.storage.svc",
    "minio.storage.svc.cluster.local",
  ])
    for (const scheme of ["http", "https"])
      await assert.rejects(
        guarded.get(`${scheme}://${host}/x`),
        { kind: "not-allowed", reason: "AddressNotAllowed" },
        `${scheme} ${host}`,
      );
  assert.deepEqual(asked, []);
  // A name that is not known here is the proxy's to find.
  assert.equal(await (await guarded.get("http://models.invalid/x")).body.text(), "through");
  assert.equal(await (await guarded.get("http://mirror.internal/x")).body.text(), "through");
  assert.equal(asked.length, 2);
});

test("a redirect through a proxy is judged like the first request", async (t) => {
  const proxy = createServer((_, response) =>
    response.writeHead(302, { location: "http://169.254.169.254/latest" }).end(),
  );
  const port = await listen(t, proxy);
  t.after(() => proxy.closeAllConnections());
  const environment = { HTTP_PROXY: `127.0.0.1:${port}` };
  const guarded = client(t, { environment, addresses: "public" });
  await assert.rejects(guarded.get("http://models.invalid/x"), { reason: "AddressNotAllowed" });
});
