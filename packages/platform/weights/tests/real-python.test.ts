import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { promisify } from "node:util";
import { HubServer, pythonPackages } from "@trivium/testkit";
import { emptyPayload, signatureHeaders } from "../src/sources/s3/sigv4.ts";
import { bytes, folder, mebibyte } from "./stage.ts";

const execute = promisify(execFile);

test("the signing library of AWS's own SDK computes the signatures that we do", async (t) => {
  const packages = await pythonPackages("botocore");
  if (packages.is === "missing") return t.skip(`skipped: ${packages.why}`);
  const script = `
import sys, json, datetime
from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
import botocore.auth
moment = datetime.datetime(2026, 5, 24, 1, 2, 3)
botocore.auth.get_current_datetime = lambda *a, **k: moment
class Clock(datetime.datetime):
    @classmethod
    def utcnow(cls): return moment
    @classmethod
    def now(cls, tz=None): return moment
botocore.auth.datetime = type('m', (), {'datetime': Clock, 'timezone': datetime.timezone})
out = []
for method, url, token in json.load(sys.stdin):
    request = AWSRequest(method=method, url=url)
    request.context['payload_signing_enabled'] = True
    request.headers['x-amz-content-sha256'] = '${emptyPayload}'
    S3SigV4Auth(Credentials('AKID', 'secret/+key', token), 's3', 'eu-west-3').add_auth(request)
    out.append(request.headers['Authorization'])
print(json.dumps(out))
`;
  const cases: [string, string, string | null][] = [
    ["GET", "https://bucket.s3.eu-west-3.amazonaws.com/a/b%20c%2B%28d%29.bin", null],
    ["HEAD", "http://127.0.0.1:9000/bucket/%C3%A9", "session/token=="],
    ["GET", "https://s3.eu-west-3.amazonaws.com/bucket/?encoding-type=url&list-type=2&prefix=a%2Fb%20c", null],
  ];
  const env = { ...packages.environment, PATH: process.env.PATH ?? "" };
  const running = execute("python3", ["-c", script], { env });
  running.child.stdin?.end(JSON.stringify(cases));
  const theirs = JSON.parse((await running).stdout) as string[];
  const ours = cases.map(([method, url, token]) => {
    const now = new Date("2026-05-24T01:02:03Z");
    const request = { method, url: new URL(url), region: "eu-west-3", service: "s3", now, payload: emptyPayload };
    const keys = {
      accessKeyId: "AKID",
      secretAccessKey: "secret/+key",
      ...(token === null ? {} : { sessionToken: token }),
    };
    return signatureHeaders(request, keys).authorization;
  });
  assert.deepEqual(ours, theirs);
});

test("Python's huggingface_hub takes our stand-in for a hub", async (t) => {
  const packages = await pythonPackages("huggingface_hub");
  if (packages.is === "missing") return t.skip(`skipped: ${packages.why}`);
  const hub = await new HubServer().listen();
  t.after(() => hub.close());
  const [home, weights] = [await folder(t), bytes(2 * mebibyte)];
  hub.files.set("config.json", { content: Buffer.from('{"a":1}'), isLarge: false });
  hub.files.set("sub/model.safetensors", { content: weights, isLarge: true });
  const script = `
import hashlib, json, os
from huggingface_hub import HfApi, snapshot_download
path = snapshot_download('org/repo')
tree = [(f.path, f.size, f.lfs.sha256 if getattr(f, 'lfs', None) else None) for f in HfApi().list_repo_tree('org/repo', recursive=True) if hasattr(f, 'size')]
print(json.dumps({
  'commit': os.path.basename(path),
  'tree': tree,
  'sha256': hashlib.sha256(open(os.path.join(path, 'sub/model.safetensors'), 'rb').read()).hexdigest(),
}))
`;
  const env = {
    ...packages.environment,
    PATH: process.env.PATH ?? "",
    HF_HOME: home,
    HF_ENDPOINT: hub.endpoint,
    HF_TOKEN: hub.goodToken,
    HF_HUB_DISABLE_XET: "1",
    HF_HUB_DISABLE_TELEMETRY: "1",
    HF_HUB_DISABLE_PROGRESS_BARS: "1",
  };
  const { stdout } = await execute("python3", ["-c", script], { env, timeout: 60_000 });
  const sha256 = createHash("sha256").update(weights).digest("hex");
  assert.deepEqual(JSON.parse(stdout.trim().split("\n").at(-1) ?? ""), {
    commit: hub.commit,
    tree: [
      ["config.json", 7, null],
      ["sub/model.safetensors", 2 * mebibyte, sha256],
    ],
    sha256,
  });
});
