import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { promisify } from "node:util";
import { imageConfig, registryRepositories, registryTags } from "@trivium/domain";
import { debianPackages, type Packages, programOf, startRegistry } from "@trivium/testkit";
import { asker, nobody, secretOf } from "./asking.ts";

const execute = promisify(execFile);
// `pass` for the user `user`.
const htpasswd = "user:$2y$05$abcdefghijklmnopqrstuuZFBUbfXoM8LFiPx8LYlO/sXZB/Cwk3K\n";
type Packer = Extract<Packages, { is: "there" }>;

/** Builds an image of no layers with umoci and pushes it with skopeo. */
async function pushLabelled(
  packer: Packer,
  { folder, to, labels }: { folder: string; to: string; labels: Record<string, string> },
): Promise<void> {
  const layout = await mkdtemp(join(folder, "image-"));
  const image = join(layout, "oci:v1");
  const env = { ...packer.environment, PATH: process.env.PATH ?? "", HOME: folder };
  const umoci = (...args: string[]) => execute(programOf(packer, "umoci"), args, { env, cwd: folder });
  await umoci("init", "--layout", join(layout, "oci"));
  await umoci("new", "--image", image);
  const flags = Object.entries(labels).flatMap(([key, value]) => ["--config.label", `${key}=${value}`]);
  await umoci("config", "--image", image, "--architecture", "amd64", "--os", "linux", ...flags);
  const copy = ["--insecure-policy", "copy", "--quiet", "--dest-tls-verify=false", "--dest-creds", "user:pass"];
  await execute(programOf(packer, "skopeo"), [...copy, `oci:${image}`, `docker://${to}`], { env, cwd: folder });
}

async function stage(t: TestContext) {
  const service = await startRegistry({ logins: htpasswd });
  if (service.is === "missing") return void t.skip(`skipped: ${service.why}`);
  t.after(() => service.stop());
  const packer = await debianPackages("skopeo", "umoci");
  if (packer.is === "missing") return void t.skip(`skipped: ${packer.why}`);
  const folder = await mkdtemp(join(tmpdir(), "trivium-probes-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return { host: `127.0.0.1:${service.port}`, packer, folder };
}

test("a real registry tells labels, tags and repositories to whoever has the Secret, and sees a tag move", async (t) => {
  const given = await stage(t);
  if (given === undefined) return;
  const { host, packer, folder } = given;
  const recommended = '[{"gpuModel":"MI300X","gpuCount":1,"precision":"fp8","metric":"latency"}]';
  const label = "com.amd.aim.model.recommendedDeployments";
  const push = (name: string, labels: Record<string, string>) =>
    pushLabelled(packer, { folder, to: `${host}/${name}`, labels });
  await push("team/aim-foo:1.0.0", { [label]: recommended });
  await push("team/aim-foo:1.1.0-rc1", {});
  await push("team/aim-bar:latest", { a: "b" });

  const ask = asker(t, { secrets: [secretOf("login", { auths: { [host]: { auth: btoa("user:pass") } } })] });
  const logins = { namespace: "ns", secrets: [{ name: "login", version: "1" }] };
  const foo = { registry: host, repository: "team/aim-foo", reference: "1.0.0", platform: "linux/amd64" };
  const image = await ask(imageConfig, { ...foo, logins });
  assert.ok(image?.is === "image", JSON.stringify(image));
  assert.deepEqual(image.labels, { [label]: recommended });
  assert.match(image.digest, /^sha256:[0-9a-f]{64}$/);
  const byDigest = await ask(imageConfig, { ...foo, reference: image.digest, logins });
  assert.deepEqual(byDigest, image);

  const every = { everyMs: 60_000 };
  const tags = await ask(registryTags, { registry: host, repository: "team/aim-foo", logins, ...every });
  assert.deepEqual(tags?.is === "tags" && [...tags.tags].sort(), ["1.0.0", "1.1.0-rc1"]);
  const listed = await ask(registryRepositories, { registry: host, prefix: "team/aim-", logins, ...every });
  assert.deepEqual(listed?.is === "repositories" && [...listed.repositories].sort(), ["team/aim-bar", "team/aim-foo"]);

  await push("team/aim-foo:1.0.0", { moved: "yes" });
  const moved = await ask(imageConfig, { ...foo, logins });
  assert.deepEqual(moved?.is === "image" && moved.labels, { moved: "yes" });

  const stranger = await ask(imageConfig, { ...foo, logins: nobody });
  assert.equal(stranger?.is === "refused" && stranger.reason, "unauthorized");
  const nothing = await ask(imageConfig, { ...foo, reference: "9.9.9", logins });
  assert.equal(nothing?.is === "refused" && nothing.reason, "not-found");
});
