import assert from "node:assert/strict";
import { chmod, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type ResolveOptions, resolveModel } from "../src/sources/resolve.ts";
import { download } from "../src/transfer/download.ts";
import { createHttpClient } from "../src/transfer/http/http-client.ts";
import { ObjectStorageServer } from "./servers/object-storage-server.ts";
import { bytes, folder, impatient, mebibyte } from "./stage.ts";

function options(t: TestContext, given: Partial<ResolveOptions> = {}): ResolveOptions {
  const client = createHttpClient({ environment: {}, addresses: "any" });
  t.after(() => client.close());
  const signal = new AbortController().signal;
  const environment = { HOME: "/nonexistent" };
  return { client, environment, fileRoots: [], include: [], retry: impatient.retry, signal, ...given };
}

async function storage(t: TestContext): Promise<ObjectStorageServer> {
  const server = await new ObjectStorageServer().listen();
  t.after(() => server.close());
  server.objects.set("m/a b+(1).bin", bytes(5 * mebibyte));
  server.objects.set("m/deep/x.json", Buffer.from("{}"));
  server.objects.set("m/deep/", Buffer.alloc(0));
  server.objects.set("mm/other", Buffer.from("no"));
  return server;
}

const uri = "oci://n/space/b/weights/o/m";

test("object storage: a folder is listed in pages and fetched with signatures the service accepts", async (t) => {
  const [server, dir] = [await storage(t), await folder(t)];
  server.pageSize = 1;
  await writeFile(join(dir, "key.pem"), server.pem);
  const [tenancy, user, fingerprint] = server.keyId.split("/");
  const text = `[DEFAULT]\nuser=${user}\nfingerprint=${fingerprint}\ntenancy=${tenancy}\nregion=eu-frankfurt-1\nkey_file=${dir}/key.pem\n`;
  await writeFile(join(dir, "config"), text);
  const environment = { HOME: dir, OCI_CLI_CONFIG_FILE: join(dir, "config"), OCI_ENDPOINT: server.endpoint };
  const { files } = await resolveModel(uri, options(t, { environment }));
  assert.deepEqual(
    files.map(({ path, digest }) => [path, digest?.algorithm]),
    [
      ["a b+(1).bin", "md5"],
      ["deep/x.json", "md5"],
    ],
  );
  for (const file of files) {
    await download(file, join(dir, "out", file.path), impatient);
    assert.ok((await readFile(join(dir, "out", file.path))).equals(server.objects.get(`m/${file.path}`) as Buffer));
  }
  const single = await resolveModel(`${uri}/deep/x.json`, options(t, { environment }));
  assert.deepEqual(
    single.files.map((file) => [file.path, file.size]),
    [["x.json", 2]],
  );
  await assert.rejects(resolveModel("oci://n/space/b/weights/o/none", options(t, { environment })), {
    kind: "not-found",
  });
});

test("object storage: bytes that changed on the way are found out by the MD5 of the listing", async (t) => {
  const [server, dir] = [await storage(t), await folder(t)];
  server.isPublic = true;
  const environment = { HOME: dir, OCI_ENDPOINT: server.endpoint };
  const { files } = await resolveModel(uri, options(t, { environment }));
  const file = files.find(({ path }) => path === "a b+(1).bin");
  assert.ok(file !== undefined);
  const { version: _, ...unversioned } = file;
  server.objects.set("m/a b+(1).bin", bytes(5 * mebibyte));
  const open = async (how: Parameters<typeof file.open>[0]) => ({ ...(await file.open(how)), version: undefined });
  await assert.rejects(download({ ...unversioned, open }, join(dir, "x"), impatient), {
    kind: "mismatch",
    message: /expected md5 \w+, found \w+/,
  });
});

test("object storage: keys in the environment, pre-authenticated, anonymous, and what is not handled", async (t) => {
  const server = await storage(t);
  const [tenancy = "", user = "", fingerprint = ""] = server.keyId.split("/");
  const at = { HOME: "/nonexistent", OCI_ENDPOINT: server.endpoint };
  const keys = { OCI_CLI_TENANCY: tenancy, OCI_CLI_USER: user, OCI_CLI_FINGERPRINT: fingerprint };
  const find = (environment: Record<string, string>) => resolveModel(uri, options(t, { environment }));
  assert.equal((await find({ ...at, ...keys, OCI_CLI_KEY_CONTENT: server.pem })).files.length, 2);
  assert.equal((await find({ ...at, OCI_PAR: server.preauthenticated })).files.length, 2);
  await assert.rejects(find(at), { kind: "not-found", message: /not public/ });
  await assert.rejects(find({ ...at, ...keys, OCI_CLI_USER: "stranger", OCI_CLI_KEY_CONTENT: server.pem }), {
    reason: "TokenRejected",
  });
  await assert.rejects(find({ ...at, ...keys, OCI_CLI_KEY_CONTENT: "hunter2" }), (error: Error) => {
    assert.doesNotMatch(error.message, /hunter2/);
    return true;
  });
  await assert.rejects(find({ ...at, OCI_CLI_AUTH: "instance_principal" }), {
    message: /instance_principal is not supported/,
  });
  await assert.rejects(find({ HOME: "/nonexistent" }), { message: /the region is missing/ });
  server.isPublic = true;
  const { pinned } = await find(at);
  assert.equal(pinned, uri);
});

test("a claim is read where it is mounted, and nowhere else", async (t) => {
  const [root, other, outside] = [await folder(t), await folder(t), await folder(t)];
  await mkdir(join(root, "llama"), { recursive: true });
  await writeFile(join(root, "llama", "m.gguf"), "weights");
  await writeFile(join(other, "x"), "x");
  await writeFile(join(outside, "secret"), "s");
  await symlink(join(outside, "secret"), join(root, "out"));
  const pvcRoots = [`models=${root}`, `team:models=${other}`];
  const { pinned, files } = await resolveModel("pvc://models/llama", options(t, { pvcRoots }));
  assert.deepEqual([pinned, files.map(({ path }) => path)], ["pvc://models/llama", ["m.gguf"]]);
  assert.equal((await resolveModel("pvc://team:models/x", options(t, { pvcRoots }))).files[0]?.size, 1);
  assert.equal((await resolveModel("pvc://any/llama/m.gguf", options(t, { pvcRoots: [root] }))).files[0]?.size, 7);
  await assert.rejects(resolveModel("pvc://other/x", options(t, { pvcRoots })), { message: /--pvc-root other=DIR/ });
  await assert.rejects(resolveModel("pvc://models/out", options(t, { pvcRoots })), { kind: "not-allowed" });
  await assert.rejects(resolveModel("pvc://models/none", options(t, { pvcRoots })), { kind: "not-found" });
});

test("a vendor's program or module serves its own scheme", async (t) => {
  const dir = await folder(t);
  const content = bytes(3 * mebibyte);
  await writeFile(join(dir, "blob"), content);
  const program = join(dir, "acme-weights");
  await writeFile(
    program,
    `#!/bin/sh
case "$1 $2" in
"list vendor://acme/m") printf '{"pinned":"vendor://acme/m@7","files":[{"path":"a.bin","size":${content.length},"version":"7"}]}' ;;
"list vendor://acme/evil") printf '{"files":[{"path":"../x","size":1}]}' ;;
"list "*) exit 3 ;;
"read "*) tail -c +$(($4 + 1)) '${dir}/blob' | head -c $(($5 - $4)) ;;
esac
`,
  );
  await chmod(program, 0o755);
  const module = join(dir, "made.mjs");
  await writeFile(
    module,
    `export async function resolve(uri) { return { pinned: uri, files: [{ path: "x", shownAs: uri, size: 0 }] }; }`,
  );
  const environment = { PATH: process.env.PATH ?? "", TRIVIUM_WEIGHTS_VENDORS: `acme=${program},made=${module}` };
  const find = (name: string) => resolveModel(`vendor://${name}`, options(t, { environment }));
  const { pinned, files } = await find("acme/m");
  assert.equal(pinned, "vendor://acme/m@7");
  await download(files[0]!, join(dir, "got"), impatient);
  assert.ok((await readFile(join(dir, "got"))).equals(content));
  assert.equal((await find("made/x")).files[0]?.path, "x");
  await assert.rejects(find("acme/evil"), { reason: "UnsafePath" });
  await assert.rejects(find("acme/none"), { kind: "not-found" });
  await assert.rejects(find("other/x"), { reason: "UnsupportedScheme", message: /TRIVIUM_WEIGHTS_VENDORS/ });
});
