import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { startService } from "@trivium/testkit";
import { signatureHeaders } from "../src/sources/s3/sigv4.ts";
import { runWeights } from "./real/run.ts";
import { bytes, folder, mebibyte } from "./stage.ts";

const keys = { accessKeyId: "S3RVER", secretAccessKey: "S3RVER" };

async function put(url: string, content: Buffer): Promise<void> {
  const payload = createHash("sha256").update(content).digest("hex");
  const request = { method: "PUT", url: new URL(url), region: "us-east-1", service: "s3", now: new Date(), payload };
  const answer = await fetch(url, {
    method: "PUT",
    headers: signatureHeaders(request, keys),
    body: new Uint8Array(content),
  });
  if (!answer.ok) throw new Error(`the server refuses ${url}: ${answer.status} ${await answer.text()}`);
}

test("an S3 server that others wrote understands our signatures and gives ranges, folders and refusals", async (t) => {
  const program = join(dirname(createRequire(import.meta.url).resolve("s3rver")), "..", "bin", "s3rver.js");
  const server = await startService({
    program: process.execPath,
    prepare: async ({ folder: at, port }) => [program, "-d", at, "-a", "127.0.0.1", "-p", String(port), "--silent"],
  });
  t.after(() => server.stop());
  const [endpoint, dir, weights] = [`http://127.0.0.1:${server.port}`, await folder(t), bytes(9 * mebibyte)];
  await put(`${endpoint}/models`, Buffer.alloc(0));
  await put(`${endpoint}/models/llama/model%20%281%29.safetensors`, weights);
  await put(`${endpoint}/models/llama/sub/config.json`, Buffer.from("{}"));
  await put(`${endpoint}/models/llama2/other`, Buffer.from("x"));

  await writeFile(join(dir, "credentials"), "[team]\naws_access_key_id = S3RVER\naws_secret_access_key = S3RVER\n");
  const environment = {
    AWS_ENDPOINT_URL_S3: endpoint,
    AWS_SHARED_CREDENTIALS_FILE: join(dir, "credentials"),
    AWS_PROFILE: "team",
  };
  const done = await runWeights(["fetch", "s3://models/llama", "--to", join(dir, "m")], environment);
  assert.equal(done.code, 0, done.err);
  assert.ok((await readFile(join(dir, "m", "model (1).safetensors"))).equals(weights));
  assert.equal(await readFile(join(dir, "m", "sub", "config.json"), "utf8"), "{}");
  const one = await runWeights(["inspect", "s3://models/llama/sub/config.json"], environment);
  assert.equal(one.code, 0, one.err);

  const none = await runWeights(["fetch", "s3://models/none", "--to", join(dir, "n")], environment);
  assert.deepEqual([none.code, none.last.reason], [3, "NotFound"], none.err);
  const { AWS_PROFILE: _, ...others } = environment;
  // It does not compute signatures of version 4; what does is in real-python.test.ts.
  const wrongKeys = { AWS_ACCESS_KEY_ID: "STRANGER", AWS_SECRET_ACCESS_KEY: "hunter2" };
  const wrong = await runWeights(["fetch", "s3://models/llama", "--to", join(dir, "w")], { ...others, ...wrongKeys });
  assert.deepEqual([wrong.code, wrong.last.reason], [4, "AccessDenied"], wrong.err);
  assert.doesNotMatch(wrong.err, /hunter2/);
});
