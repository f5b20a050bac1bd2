import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { downloadEnvironmentOf, downloadLoginsOf } from "./download-environment.ts";

test("downloads in pods reach the outside as the shell does; logins are apart", () => {
  const reach = {
    HF_ENDPOINT: "https://hub.example",
    https_proxy: "http://proxy:3128",
    NO_PROXY: "",
    SSL_CERT_FILE: "/ca.pem",
    NODE_EXTRA_CA_CERTS: "/company.pem",
  };
  const rest = { HF_TOKEN: "hf_secret", AWS_SECRET_ACCESS_KEY: "secret", PATH: "/bin", HOME: "/root" };
  assert.deepEqual(downloadEnvironmentOf({ ...reach, ...rest }), reach);
});

test("logins are the variables of the shell and the files of the user's tools", (t) => {
  const home = mkdtempSync(join(tmpdir(), "logins-"));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const token = join(home, ".cache/huggingface/token");
  mkdirSync(join(home, ".cache/huggingface"), { recursive: true });
  writeFileSync(token, "hf_file");
  const merged = (env: NodeJS.ProcessEnv) => Object.assign({}, ...downloadLoginsOf(env).map((one) => one.env));
  assert.deepEqual(merged({ HOME: home, PATH: "/bin" }), { HF_TOKEN_PATH: token });
  const aws = { AWS_ACCESS_KEY_ID: "a", AWS_SECRET_ACCESS_KEY: "b", AWS_SESSION_TOKEN: "c" };
  assert.deepEqual(merged({ HOME: home, HF_TOKEN: "hf_shell", ...aws }), {
    HF_TOKEN: "hf_shell",
    HF_TOKEN_PATH: token,
    ...aws,
  });
});

test("a container with a login, a server or a proxy of its own is known by its variables", () => {
  const isOwn = (name: string) => downloadLoginsOf({ HOME: "/nowhere" }).map((login) => login.isOwn(name));
  assert.deepEqual(isOwn("HF_ENDPOINT"), [true, false, false, false]);
  assert.deepEqual(isOwn("AWS_ENDPOINT_URL"), [false, true, false, false]);
  assert.deepEqual(isOwn("AWS_REGION"), [false, false, false, false]);
  assert.deepEqual(isOwn("OCI_ENDPOINT"), [false, false, true, false]);
  for (const name of ["HTTP_PROXY", "https_proxy"]) assert.deepEqual(isOwn(name), [true, true, true, true]);
  assert.deepEqual(isOwn("DOCKER_CONFIG"), [false, false, false, true]);
  assert.deepEqual(isOwn("HF_HUB_DOWNLOAD_TIMEOUT"), [false, false, false, false]);
});
