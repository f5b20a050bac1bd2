import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { Pod } from "@trivium/kube";
import { startService } from "@trivium/testkit";
import { signatureHeaders } from "@trivium/weights";
import { clientOf, temporaryHome, trivium } from "./running.ts";

const demo = join(import.meta.dirname, "../../../examples/models/demo/demo.gguf");
const keys = { accessKeyId: "S3RVER", secretAccessKey: "S3RVER" };

async function put(url: string, content: Buffer): Promise<void> {
  const payload = createHash("sha256").update(content).digest("hex");
  const request = { method: "PUT", url: new URL(url), region: "us-east-1", service: "s3", now: new Date(), payload };
  const headers = signatureHeaders(request, keys);
  const answer = await fetch(url, { method: "PUT", headers, body: new Uint8Array(content) });
  if (!answer.ok) throw new Error(`the server refuses ${url}: ${answer.status} ${await answer.text()}`);
}

describe("a model of a private bucket, with the login of the shell", () => {
  const folder = temporaryHome();
  let s3: Awaited<ReturnType<typeof startService>>;
  let environment: Record<string, string> = {};

  before(async () => {
    const program = join(dirname(createRequire(import.meta.url).resolve("s3rver")), "..", "bin", "s3rver.js");
    s3 = await startService({
      program: process.execPath,
      prepare: async ({ folder: at, port }) => [program, "-d", at, "-a", "127.0.0.1", "-p", String(port), "--silent"],
    });
    const endpoint = `http://127.0.0.1:${s3.port}`;
    await put(`${endpoint}/models`, Buffer.alloc(0));
    await put(`${endpoint}/models/chat/demo.gguf`, readFileSync(demo));
    environment = {
      ...{ TRIVIUM_HOME: join(folder.path, "home"), HOME: folder.path, KUBECONFIG: "" },
      ...{ AWS_ENDPOINT_URL_S3: endpoint, AWS_REGION: "us-east-1" },
      ...{ AWS_ACCESS_KEY_ID: keys.accessKeyId, AWS_SECRET_ACCESS_KEY: keys.secretAccessKey },
    };
  });

  after(async () => {
    await call("down");
    await s3.stop();
    folder.remove();
  });

  async function call(...args: string[]): Promise<{ code: number | string; output: string; errors: string }> {
    const process = trivium(args, environment);
    const code = await process.ended;
    return { code, output: process.output(), errors: process.errors() };
  }

  it("is inspected without a download", async () => {
    const { code, output, errors } = await call("models", "inspect", "s3://models/chat/demo.gguf");
    assert.equal(code, 0, errors);
    assert.match(output, /^format +gguf, 2\.9Mi$/m);
  });

  it("is served, and answers", async () => {
    const { code, output, errors } = await call("run", "s3://models/chat/demo.gguf", "What is Trivium?");
    assert.equal(code, 0, errors);
    assert.match(output, /Trivium/);
    assert.match((await call("get")).output, /^demo +llmkube /m);
    const pods = JSON.stringify(await (await clientOf(join(folder.path, "home"))).list(Pod));
    assert.ok(!pods.includes("AWS_SECRET_ACCESS_KEY"), "the login is in no pod");
  });

  for (const api of ["aim", "ome"]) {
    it(`is served by ${api}`, async () => {
      const { code, output, errors } = await call(
        ...["run", "s3://models/chat/demo.gguf", "What is Trivium?"],
        ...["--as", api, "--name", api],
      );
      assert.equal(code, 0, errors);
      assert.match(output, /Trivium/);
    });
  }

  it("that is not there, or a folder, is refused in one line", async () => {
    const missing = await call("run", "s3://models/chat/other.gguf", "--serve");
    assert.equal(missing.code, 1);
    assert.match(missing.errors, /^error: s3:\/\/models\/chat\/other\.gguf.*not found.*\n$/);
    const bucket = await call("run", "s3://nowhere/demo.gguf", "--serve");
    assert.equal(bucket.code, 1);
    assert.equal(bucket.errors.trim().split("\n").length, 1, bucket.errors);
  });
});
