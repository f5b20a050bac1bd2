import assert from "node:assert/strict";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { HubServer } from "@trivium/testkit";
import { type ResolveOptions, resolveModel } from "../src/sources/resolve.ts";
import { download } from "../src/transfer/download.ts";
import { createHttpClient } from "../src/transfer/http/http-client.ts";
import { S3Server } from "./servers/s3-server.ts";
import { bytes, folder, impatient, mebibyte, serve } from "./stage.ts";

const nowhere = { HF_HOME: "/nonexistent", HOME: "/nonexistent" };

function options(t: TestContext, given: Partial<ResolveOptions> = {}): ResolveOptions {
  const client = createHttpClient({ environment: {}, addresses: "any" });
  t.after(() => client.close());
  const signal = new AbortController().signal;
  return { client, environment: nowhere, fileRoots: [], include: [], retry: impatient.retry, signal, ...given };
}

async function hub(t: TestContext): Promise<HubServer> {
  const server = await new HubServer().listen();
  t.after(() => server.close());
  server.files.set("config.json", { content: Buffer.from('{"a":1}'), isLarge: false });
  server.files.set("sub/model 1.safetensors", { content: bytes(5 * mebibyte), isLarge: true });
  return server;
}

test("a hub repository is listed at a commit and its files verify by the hub's own digests", async (t) => {
  const [server, dir] = [await hub(t), await folder(t)];
  server.pageSize = 1;
  const environment = { ...nowhere, HF_ENDPOINT: server.endpoint, HF_TOKEN: server.goodToken };
  const listing = await resolveModel("org/repo", options(t, { environment }));
  assert.equal(listing.pinned, `hf://org/repo@${server.commit}`);
  assert.deepEqual(
    listing.files.map(({ path, size, digest }) => [path, size, digest?.algorithm]),
    [
      ["config.json", 7, "git-sha1"],
      ["sub/model 1.safetensors", 5 * mebibyte, "sha256"],
    ],
  );
  for (const file of listing.files) {
    await download(file, join(dir, file.path), impatient);
    assert.ok((await readFile(join(dir, file.path))).equals(server.files.get(file.path)?.content ?? Buffer.alloc(0)));
  }
});

test("the token stays at the hub, and the content network is not asked through the hub for each range", async (t) => {
  const [server, dir] = [await hub(t), await folder(t)];
  const environment = { ...nowhere, HF_ENDPOINT: server.endpoint, HF_TOKEN: server.goodToken };
  const { files } = await resolveModel("hf://org/repo@main/sub", options(t, { environment }));
  await download(files[0]!, join(dir, "m"), { ...impatient, concurrency: { start: 1, max: 1, windowMs: 100 } });
  assert.ok(server.contentRequests.length >= 2);
  assert.equal(server.resolves, 1);
  for (const headers of server.contentRequests) assert.equal(headers.authorization, undefined);
});

test("a hub that changes a small file's bytes is found out by its Git id", async (t) => {
  const [server, dir] = [await hub(t), await folder(t)];
  const { files } = await resolveModel(
    "org/repo/config.json",
    options(t, { environment: { ...nowhere, HF_ENDPOINT: server.endpoint } }),
  );
  server.files.set("config.json", { content: Buffer.from('{"a":2}'), isLarge: false });
  await assert.rejects(download(files[0]!, join(dir, "c"), impatient), {
    kind: "mismatch",
    message: /expected git-sha1 \w+, found \w+/,
  });
});

test("each refusal of a hub has its own reason, and none repeats the token", async (t) => {
  const server = await hub(t);
  const at = (HF_TOKEN?: string) =>
    options(t, { environment: { ...nowhere, HF_ENDPOINT: server.endpoint, ...(HF_TOKEN ? { HF_TOKEN } : {}) } });
  await assert.rejects(resolveModel("org/repo@nope", at()), { kind: "not-found", reason: "RevisionNotFound" });
  await assert.rejects(resolveModel("org/other", at()), {
    kind: "not-found",
    reason: "RepoNotFound",
    message: /HF_TOKEN/,
  });
  await assert.rejects(resolveModel("org/repo/missing.bin", at()), { kind: "not-found", reason: "NotFound" });
  await assert.rejects(resolveModel("org/repo", at("hf_expired")), (error: Error & { reason?: string }) => {
    assert.equal(error.reason, "TokenRejected");
    assert.doesNotMatch(error.message, /hf_expired/);
    return true;
  });
  server.access = "gated";
  const { files } = await resolveModel("org/repo", at());
  await assert.rejects(download(files[0]!, join(await folder(t), "x"), impatient), {
    kind: "not-allowed",
    reason: "GatedRepo",
  });
  await assert.rejects(
    resolveModel("org/repo", options(t, { environment: { ...nowhere, HF_ENDPOINT: "http://127.0.0.1:1" } })),
    {
      kind: "unreachable",
    },
  );
});

test("a hub that is busy is asked again, and a listing that leads out is refused", async (t) => {
  const server = await hub(t);
  server.failing = 2;
  const at = () => options(t, { environment: { ...nowhere, HF_ENDPOINT: server.endpoint } });
  assert.equal((await resolveModel("org/repo@refs%2Fpr%2F1", at())).files.length, 2);
  server.files.set("../../etc/cron.d/x", { content: Buffer.from("x"), isLarge: false });
  await assert.rejects(resolveModel("org/repo", at()), { kind: "refused", reason: "UnsafePath" });
});

test("include picks files, and nothing picked is an error", async (t) => {
  const server = await hub(t);
  const at = (...include: string[]) =>
    options(t, { environment: { ...nowhere, HF_ENDPOINT: server.endpoint }, include });
  assert.deepEqual(
    (await resolveModel("org/repo", at("*.json"))).files.map((file) => file.path),
    ["config.json"],
  );
  await assert.rejects(resolveModel("org/repo", at("*.gguf")), { kind: "not-found", reason: "NothingMatches" });
  // One name among several that does not exist is not left out in silence, and what exists is named.
  await assert.rejects(resolveModel("org/repo", at("config.json", "model-Q9.safetensors")), {
    reason: "NothingMatches",
    message: /no file matches model-Q9\.safetensors; available \.safetensors files: /,
  });
});

async function s3(t: TestContext): Promise<S3Server> {
  const server = await new S3Server().listen();
  t.after(() => server.close());
  server.objects.set("m/a b+c=(1)é.bin", bytes(3 * mebibyte));
  server.objects.set("m/deep/x.json", Buffer.from("{}"));
  server.objects.set("m/deep/", Buffer.alloc(0));
  server.objects.set("mm/other", Buffer.from("no"));
  return server;
}

test("a folder of a bucket is listed in pages and fetched with signatures the server accepts", async (t) => {
  const [server, dir] = [await s3(t), await folder(t)];
  server.pageSize = 1;
  const { files } = await resolveModel("s3://bucket/m", options(t, { environment: server.environment }));
  assert.deepEqual(
    files.map((file) => file.path),
    ["a b+c=(1)é.bin", "deep/x.json"],
  );
  for (const file of files) {
    await download(file, join(dir, file.path), impatient);
    assert.ok((await readFile(join(dir, file.path))).equals(server.objects.get(`m/${file.path}`) ?? Buffer.alloc(0)));
  }
  const single = await resolveModel("s3://bucket/m/deep/x.json", options(t, { environment: server.environment }));
  assert.deepEqual(
    single.files.map((file) => [file.path, file.size]),
    [["x.json", 2]],
  );
});

test("wrong keys, no keys and no object each have their reason; an open bucket needs no keys", async (t) => {
  const server = await s3(t);
  const wrong = { ...server.environment, AWS_SECRET_ACCESS_KEY: "hunter2" };
  await assert.rejects(
    resolveModel("s3://bucket/m", options(t, { environment: wrong })),
    (error: Error & { reason?: string }) => {
      assert.equal(error.reason, "AccessDenied");
      assert.doesNotMatch(error.message, /hunter2/);
      return true;
    },
  );
  const anonymous = { AWS_ENDPOINT_URL: server.endpoint };
  await assert.rejects(resolveModel("s3://bucket/m", options(t, { environment: anonymous })), {
    reason: "TokenMissing",
  });
  await assert.rejects(resolveModel("s3://bucket/none", options(t, { environment: server.environment })), {
    kind: "not-found",
  });
  server.isPublic = true;
  assert.equal((await resolveModel("s3://bucket/m/", options(t, { environment: anonymous }))).files.length, 2);
});

test("an object that is replaced midway is fetched anew", async (t) => {
  const [server, dir] = [await s3(t), await folder(t)];
  const { files } = await resolveModel("s3://bucket/m/deep/x.json", options(t, { environment: server.environment }));
  server.objects.set("m/deep/x.json", Buffer.from("[1,2,3]"));
  const report = await download(files[0]!, join(dir, "x"), impatient);
  assert.equal(report.size, 7);
  assert.equal(await readFile(join(dir, "x"), "utf8"), "[1,2,3]");
});

test("local files come only from allowed roots, wherever links lead", async (t) => {
  const [root, outside, dir] = [await folder(t), await folder(t), await folder(t)];
  await mkdir(join(root, "m", "sub"), { recursive: true });
  await writeFile(join(root, "m", "a.bin"), bytes(2 * mebibyte));
  await writeFile(join(root, "m", "sub", "b"), "b");
  await writeFile(join(outside, "secret"), "s");
  const at = options(t, { fileRoots: [root] });
  const { files } = await resolveModel(`file://${root}/m`, at);
  assert.deepEqual(
    files.map((file) => file.path),
    ["a.bin", "sub/b"],
  );
  const report = await download(files[0]!, join(dir, "a"), impatient);
  assert.equal(report.size, 2 * mebibyte);
  for (const uri of [join(outside, "secret"), `${root}/../${outside.split("/").at(-1)}/secret`, "/etc/passwd"]) {
    await assert.rejects(resolveModel(uri, at), { kind: "not-allowed", reason: "OutsideRoots" }, uri);
  }
  await assert.rejects(resolveModel(join(root, "gone"), at), { kind: "not-found" });
  await symlink(join(outside, "secret"), join(root, "m", "link"));
  await assert.rejects(resolveModel(join(root, "m"), at), { reason: "OutsideRoots" });
});

test("a scheme that nothing handles says so", async (t) => {
  for (const uri of ["vendor://x/y", "ftp://h/x"]) {
    await assert.rejects(resolveModel(uri, options(t)), {
      kind: "refused",
      reason: "UnsupportedScheme",
      message: /unsupported scheme|unknown vendor/,
    });
  }
});

test("a server that knows no HEAD is asked for one byte", async (t) => {
  const server = await serve(t, mebibyte);
  server.misdeeds.refuse = (count) => (count === 0 ? { status: 405 } : undefined);
  const { files } = await resolveModel(server.url(), options(t));
  assert.equal(files[0]?.size, mebibyte);
  assert.equal(files[0]?.path, "model.bin");
});
