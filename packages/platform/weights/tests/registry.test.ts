import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { resolveModel } from "../src/sources/resolve.ts";
import { download } from "../src/transfer/download.ts";
import { createHttpClient } from "../src/transfer/http/http-client.ts";
import { RegistryServer } from "./servers/registry-server.ts";
import { bytes, folder, impatient, mebibyte } from "./stage.ts";

async function stage(t: TestContext) {
  const server = await new RegistryServer().listen();
  const client = createHttpClient({ environment: {}, addresses: "any" });
  t.after(() => server.close());
  t.after(() => client.close());
  const resolve = (reference: string, environment: Record<string, string> = { HOME: "/nonexistent" }) => {
    const signal = new AbortController().signal;
    const uri = `oci://${server.host}/team/model${reference}`;
    return resolveModel(uri, { client, environment, fileRoots: [], include: [], retry: impatient.retry, signal });
  };
  return { server, resolve };
}

test("an artifact's layers are files, pinned by the manifest's digest, and tokens are renewed as they run out", async (t) => {
  const { server, resolve } = await stage(t);
  const [model, dir] = [bytes(6 * mebibyte), await folder(t)];
  const digest = server.publish([
    ["sub/model.gguf", model],
    ["config.json", Buffer.from("{}")],
  ]);
  const listing = await resolve(":v1");
  assert.equal(listing.pinned, `oci://${server.host}/team/model@${digest}`);
  assert.deepEqual(
    listing.files.map(({ path, size }) => [path, size]),
    [
      ["sub/model.gguf", 6 * mebibyte],
      ["config.json", 2],
    ],
  );
  const one = { start: 1, max: 1, windowMs: 100 };
  await download(listing.files[0]!, join(dir, "m"), { ...impatient, concurrency: one });
  assert.ok((await readFile(join(dir, "m"))).equals(model));
  assert.ok(server.tokensIssued > 1, "the test is about tokens that expire");
  assert.equal((await resolve(`@${digest}`)).files.length, 2);
});

test("what is missing, private, unsafe or an image is refused, each in its words", async (t) => {
  const { server, resolve } = await stage(t);
  server.publish([["../evil", Buffer.from("x")]]);
  await assert.rejects(resolve(":v1"), { kind: "refused", reason: "UnsafePath" });
  await assert.rejects(resolve(":v2"), { kind: "not-found" });
  server.publish([[undefined, Buffer.from("x")]]);
  await assert.rejects(resolve(":v1"), { kind: "refused", message: /not a packaged model/ });
  server.publish([["a", Buffer.from("x")]]);
  server.isPrivate = true;
  server.tokensIssued = 100;
  await assert.rejects(resolve(":v1"), { kind: "not-allowed" });
  const dir = await folder(t);
  await writeFile(join(dir, "config.json"), JSON.stringify({ auths: { [server.host]: { auth: server.login } } }));
  assert.equal((await resolve(":v1", { DOCKER_CONFIG: dir })).files.length, 1);
  const auths = { [server.host]: { auth: server.login } };
  // A text that a tenant wrote names no program to run, so the helper in it is not asked.
  const text = JSON.stringify({ auths, credHelpers: { [server.host]: "absent" } });
  assert.equal((await resolve(":v1", { DOCKER_AUTH_CONFIG: text })).files.length, 1);
  await assert.rejects(resolve(":v1", { DOCKER_AUTH_CONFIG: "{" }), { message: "DOCKER_AUTH_CONFIG: it is not JSON" });
});
