import assert from "node:assert/strict";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { gzipSync } from "node:zlib";
import { startRegistry } from "@trivium/testkit";
import { tar } from "./archives.ts";
import { imagePacker, pushArtifact, pushImage, pushManifest, writeLoginHelper } from "./real/images.ts";
import { runWeights } from "./real/run.ts";
import { bytes, folder, mebibyte } from "./stage.ts";

// `pass` for the user `user`.
const logins = "user:$2y$05$abcdefghijklmnopqrstuuZFBUbfXoM8LFiPx8LYlO/sXZB/Cwk3K\n";

async function registry(t: TestContext, options: { logins?: string } = {}) {
  const service = await startRegistry(options);
  if (service.is === "missing") return void t.skip(`skipped: ${service.why}`);
  t.after(() => service.stop());
  return { host: `127.0.0.1:${service.port}`, base: `http://127.0.0.1:${service.port}/v2/team/model` };
}

async function modelFolder(t: TestContext): Promise<{ path: string; weights: Buffer }> {
  const path = await folder(t);
  const weights = bytes(5 * mebibyte);
  await mkdir(join(path, "sub"));
  await writeFile(join(path, "model.safetensors"), weights);
  await writeFile(join(path, "sub", "config.json"), "{}");
  await writeFile(join(path, "old.bin"), "old");
  return { path, weights };
}

test("an image that umoci packed and skopeo pushed gives its models folder, by platform", async (t) => {
  const [place, packer] = [await registry(t), await imagePacker()];
  if (place === undefined) return;
  if (packer.is === "missing") return t.skip(`skipped: ${packer.why}`);
  const { path, weights } = await modelFolder(t);
  const [rest, dir] = [await folder(t), await folder(t)];
  await writeFile(join(rest, "sh"), "#!");
  const layers = [{ from: rest, at: "/bin" }, { from: path, at: "/models" }, { gone: "/models/old.bin" }];
  const digests = [];
  for (const architecture of ["amd64", "arm64"]) {
    const shown = architecture === "amd64" ? layers : [{ from: rest, at: "/models" }];
    const to = `${place.host}/team/model:${architecture}`;
    await pushImage(packer, { folder: await folder(t), to, architecture, layers: shown });
    const accept = "application/vnd.oci.image.manifest.v1+json";
    const answer = await fetch(`${place.base}/manifests/${architecture}`, { headers: { accept } });
    const size = (await answer.arrayBuffer()).byteLength;
    const digest = answer.headers.get("docker-content-digest");
    digests.push({ mediaType: accept, digest, size, platform: { os: "linux", architecture } });
  }
  const mediaType = "application/vnd.oci.image.index.v1+json";
  await pushManifest(place.base, "both", { schemaVersion: 2, mediaType, manifests: digests });

  const uri = `oci://${place.host}/team/model:both`;
  const amd = await runWeights(["fetch", uri, "--to", join(dir, "amd"), "--platform", "linux/amd64"]);
  assert.equal(amd.code, 0, amd.err);
  assert.deepEqual((await readdir(join(dir, "amd"))).sort(), [".trivium", "model.safetensors", "sub"]);
  assert.ok((await readFile(join(dir, "amd", "model.safetensors"))).equals(weights));
  const arm = await runWeights(["fetch", uri, "--to", join(dir, "arm"), "--platform", "linux/arm64"]);
  assert.deepEqual((await readdir(join(dir, "arm"))).sort(), [".trivium", "sh"], arm.err);
  const none = await runWeights(["fetch", uri, "--to", join(dir, "none"), "--platform", "linux/s390x"]);
  assert.equal(none.code, 3);
  assert.match(String(none.last.message), /linux\/amd64, linux\/arm64/);
});

test("artifacts give files by their titles, folders where they are packed, and ranges of a real registry", async (t) => {
  const place = await registry(t);
  if (place === undefined) return;
  const [dir, weights] = [await folder(t), bytes(9 * mebibyte)];
  const title = "org.opencontainers.image.title";
  const packed = gzipSync(tar({ path: "extra/a.txt", content: "A" }, { path: "extra/b/c.txt", content: "C" }));
  const digest = await pushArtifact(place.base, "v1", [
    { content: weights, mediaType: "application/octet-stream", annotations: { [title]: "sub/model.gguf" } },
    {
      content: packed,
      mediaType: "application/vnd.oci.image.layer.v1.tar+gzip",
      annotations: { [title]: "extra", "io.deis.oras.content.unpack": "true" },
    },
  ]);
  const done = await runWeights(["fetch", `oci://${place.host}/team/model:v1`, "--to", dir]);
  assert.equal(done.code, 0, done.err);
  assert.equal(done.last.pinned, `oci://${place.host}/team/model@${digest}`);
  assert.ok((await readFile(join(dir, "sub", "model.gguf"))).equals(weights));
  assert.equal(await readFile(join(dir, "extra", "b", "c.txt"), "utf8"), "C");
  assert.equal((await runWeights(["fetch", `oci://${place.host}/team/model:v9`, "--to", dir])).code, 3);
});

test("a closed registry opens to a login of the file or of a helper, and to nobody else", async (t) => {
  const place = await registry(t, { logins });
  const packer = await imagePacker();
  if (place === undefined) return;
  if (packer.is === "missing") return t.skip(`skipped: ${packer.why}`);
  const [{ path }, dir] = [await modelFolder(t), await folder(t)];
  const to = `${place.host}/team/model:v1`;
  const image = { architecture: "amd64", layers: [{ from: path, at: "/models" }], login: "user:pass" };
  await pushImage(packer, { folder: await folder(t), to, ...image });
  const fetchWith = (environment: Record<string, string>, name: string) =>
    runWeights(["fetch", `oci://${to}`, "--to", join(dir, name), "--platform", "linux/amd64"], environment);

  const stranger = await fetchWith({}, "none");
  assert.deepEqual([stranger.code, stranger.last.kind], [4, "not-allowed"], stranger.err);
  const [asFile, asHelper, asWrong] = [await folder(t), await folder(t), await folder(t)];
  const auth = (text: string) => ({ auths: { [place.host]: { auth: Buffer.from(text).toString("base64") } } });
  await writeFile(join(asFile, "config.json"), JSON.stringify(auth("user:pass")));
  await writeFile(join(asWrong, "config.json"), JSON.stringify(auth("user:hunter2")));
  await writeFile(join(asHelper, "config.json"), JSON.stringify({ credHelpers: { [place.host]: "test" } }));
  await writeLoginHelper(join(asHelper, "docker-credential-test"), place.host, { user: "user", secret: "pass" });
  assert.equal((await fetchWith({ DOCKER_CONFIG: asFile }, "file")).code, 0);
  const search = `${asHelper}:${process.env.PATH}`;
  const helped = await fetchWith({ DOCKER_CONFIG: asHelper, PATH: search }, "helper");
  assert.equal(helped.code, 0, helped.err);
  const wrong = await fetchWith({ DOCKER_CONFIG: asWrong }, "wrong");
  assert.equal(wrong.code, 4);
  assert.doesNotMatch(wrong.err, /hunter2/);
});
