import assert from "node:assert/strict";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { resolveModel } from "../src/sources/resolve.ts";
import { createHttpClient } from "../src/transfer/http/http-client.ts";
import { impatient } from "./stage.ts";

const commit = "a".repeat(40);

async function serve(t: TestContext, answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function list(t: TestContext, uri: string, environment: Record<string, string>) {
  const client = createHttpClient({ environment: {}, addresses: "any" });
  t.after(() => client.close());
  const signal = AbortSignal.timeout(180_000);
  const all = { HOME: "/nonexistent", HF_HOME: "/nonexistent", ...environment };
  return resolveModel(uri, { client, environment: all, fileRoots: [], include: [], retry: impatient.retry, signal });
}

const s3Page = (next: string) =>
  `<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>${next}</NextContinuationToken></ListBucketResult>`;

for (const [what, tokens] of [
  ["the same token", ["t"]],
  ["two tokens in turn", ["a", "b"]],
] as const)
  test(`a bucket that answers with ${what} for ever is given up`, async (t) => {
    let pages = 0;
    const endpoint = await serve(t, (request, response) => {
      if (request.method === "HEAD") return void response.writeHead(404).end();
      response.end(s3Page(tokens[pages++ % tokens.length] as string));
    });
    const environment = { AWS_ENDPOINT_URL: endpoint, AWS_ACCESS_KEY_ID: "k", AWS_SECRET_ACCESS_KEY: "s" };
    await assert.rejects(list(t, "s3://bucket/folder", environment), {
      kind: "refused",
      message: /^s3:\/\/bucket\/folder\/: the server returned a page of its list twice$/,
    });
    assert.ok(pages <= 3, `${pages} pages were asked for`);
  });

test("a hub whose pages lead in a circle is given up", async (t) => {
  let pages = 0;
  const endpoint = await serve(t, (request, response) => {
    const url = request.url ?? "";
    if (url.includes("/revision/")) return void response.end(JSON.stringify({ sha: commit }));
    pages += 1;
    response.setHeader("link", `<${url.split("&cursor")[0]}&cursor=${pages % 2}>; rel="next"`);
    response.end("[]");
  });
  await assert.rejects(list(t, "hf://org/repo", { HF_ENDPOINT: endpoint }), {
    kind: "refused",
    message: /^org\/repo: the server returned a page of its list twice$/,
  });
});

test("a bucket of Oracle's that leads in a circle is given up", async (t) => {
  let pages = 0;
  const endpoint = await serve(t, (request, response) => {
    if (request.method === "HEAD") return void response.writeHead(404).end();
    pages += 1;
    response.end(JSON.stringify({ objects: [], nextStartWith: `x${pages % 2}` }));
  });
  await assert.rejects(list(t, "oci://n/ns/b/bucket/o/folder/", { OCI_ENDPOINT: endpoint }), {
    message: /the server returned a page of its list twice$/,
  });
});

test("a list that never ends is given up before it fills the memory", async (t) => {
  const endpoint = await serve(t, (request, response) => {
    if ((request.url ?? "").includes("/revision/")) return void response.end(JSON.stringify({ sha: commit }));
    const more = () => {
      while (!response.destroyed && response.write(" ".repeat(256 * 1024)));
    };
    response.on("drain", more);
    more();
  });
  await assert.rejects(list(t, "hf://org/repo", { HF_ENDPOINT: endpoint }), {
    message: /the list is longer than \d+ bytes/,
  });
});

for (const [what, file] of [
  ["a path", { oid: "../../../../etc/passwd", size: 3 }],
  ["the digest of another algorithm", { oid: "a".repeat(64), size: 3 }],
  ["a path as that of a large file", { oid: commit, size: 3, lfs: { oid: "sha256:../../x", size: 3 } }],
] as const)
  test(`a hub that lists a file with ${what} as its digest is refused`, async (t) => {
    const endpoint = await serve(t, (request, response) => {
      const isList = request.url?.includes("/tree/");
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(isList ? [{ type: "file", path: "m.gguf", ...file }] : { sha: commit }));
    });
    await assert.rejects(list(t, "hf://org/model", { HF_ENDPOINT: endpoint }), {
      message: /lists m\.gguf with an invalid digest\b/,
    });
  });
