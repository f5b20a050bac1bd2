import assert from "node:assert/strict";
import { chmod, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { renewing } from "../src/sources/aws/credentials.ts";
import { awsLogin } from "../src/sources/aws/login.ts";
import { containerEndpoint } from "../src/sources/aws/metadata.ts";
import { awsProfileFrom } from "../src/sources/aws/profile.ts";
import { createHttpClient } from "../src/transfer/http/http-client.ts";
import { folder } from "./stage.ts";

const signal = new AbortController().signal;

interface Observed {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

async function answering(t: TestContext, answer: (observed: Observed, response: ServerResponse) => void) {
  const observed: Observed[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const one = { method: request.method ?? "", path: request.url ?? "", headers: request.headers, body };
    observed.push(one);
    answer(one, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, observed };
}

/** What the program would sign with in this environment. */
async function keysIn(t: TestContext, environment: Record<string, string>) {
  const client = createHttpClient({ environment: {}, addresses: "any" });
  t.after(() => client.close());
  const context = { HOME: "/nonexistent", ...environment };
  const profile = await awsProfileFrom(context);
  return awsLogin({ client, environment: context, profile, region: "eu-west-3" })(signal);
}

const issued = (id: string, expiresInMs = 3_600_000) =>
  JSON.stringify({
    AccessKeyId: id,
    SecretAccessKey: "s",
    Token: "t",
    Expiration: new Date(Date.now() + expiresInMs).toISOString(),
  });

test("keys come from the environment, then from the chosen profile of the shared files", async (t) => {
  const dir = await folder(t);
  const files = { AWS_CONFIG_FILE: join(dir, "config"), AWS_SHARED_CREDENTIALS_FILE: join(dir, "credentials") };
  await writeFile(
    files.AWS_CONFIG_FILE,
    "[default]\nregion = eu-1\n\n[profile team]\nregion=eu-2\ns3 =\n  addressing_style = path\n[profile sso]\nsso_session = x\n",
  );
  await writeFile(
    files.AWS_SHARED_CREDENTIALS_FILE,
    "# a comment\n[default]\naws_access_key_id = D\naws_secret_access_key = ds\n[team]\naws_access_key_id=T\naws_secret_access_key=a=b/c\naws_session_token=tok\n",
  );
  assert.deepEqual(await keysIn(t, files), { accessKeyId: "D", secretAccessKey: "ds" });
  const team = { accessKeyId: "T", secretAccessKey: "a=b/c", sessionToken: "tok" };
  assert.deepEqual(await keysIn(t, { ...files, AWS_PROFILE: "team" }), team);
  assert.equal((await awsProfileFrom({ ...files, AWS_PROFILE: "team" })).settings.region, "eu-2");
  const given = { AWS_ACCESS_KEY_ID: "E", AWS_SECRET_ACCESS_KEY: "es" };
  assert.deepEqual(await keysIn(t, { ...files, ...given }), { accessKeyId: "E", secretAccessKey: "es" });
  await assert.rejects(keysIn(t, { ...files, AWS_PROFILE: "nobody" }), { reason: "InvalidOption", message: /nobody/ });
  await assert.rejects(keysIn(t, { ...files, AWS_PROFILE: "sso" }), { message: /sso_session is not supported/ });
  assert.equal(await keysIn(t, {}), undefined);
});

test("a program that a profile names gives keys, and what it says is not repeated", async (t) => {
  const dir = await folder(t);
  const [program, config] = [join(dir, "my keys"), join(dir, "config")];
  await writeFile(program, `#!/bin/sh\n[ "$1" = good ] || { echo hunter2; exit 1; }\necho '${issued("P")}'\n`);
  await chmod(program, 0o755);
  await writeFile(
    config,
    `[profile p]\ncredential_process = "${program}" good\n[profile bad]\ncredential_process = "${program}" bad\n`,
  );
  const environment = { AWS_CONFIG_FILE: config, PATH: process.env.PATH ?? "" };
  assert.equal((await keysIn(t, { ...environment, AWS_PROFILE: "p" }))?.accessKeyId, "P");
  await assert.rejects(keysIn(t, { ...environment, AWS_PROFILE: "bad" }), (error: Error) => {
    assert.doesNotMatch(error.message, /hunter2/);
    return true;
  });
});

test("a pod's identity is traded for keys, in the body and not in the address", async (t) => {
  const dir = await folder(t);
  const tokenFile = join(dir, "token");
  await writeFile(tokenFile, "jwt.of.pod\n");
  const sts = await answering(t, ({ body }, response) => {
    const isGood = new URLSearchParams(body).get("RoleArn") === "arn:aws:iam::1:role/good";
    const keys =
      "<AccessKeyId>W</AccessKeyId><SecretAccessKey>ws</SecretAccessKey><SessionToken>wt</SessionToken><Expiration>2099-01-01T00:00:00Z</Expiration>";
    response.writeHead(isGood ? 200 : 403).end(`<R><Credentials>${keys}</Credentials></R>`);
  });
  const environment = { AWS_WEB_IDENTITY_TOKEN_FILE: tokenFile, AWS_ENDPOINT_URL_STS: sts.url };
  const keys = await keysIn(t, { ...environment, AWS_ROLE_ARN: "arn:aws:iam::1:role/good" });
  assert.deepEqual([keys?.accessKeyId, keys?.sessionToken], ["W", "wt"]);
  const [call] = sts.observed;
  assert.deepEqual([call?.method, call?.path], ["POST", "/"]);
  assert.equal(new URLSearchParams(call?.body).get("WebIdentityToken"), "jwt.of.pod");
  await assert.rejects(keysIn(t, { ...environment, AWS_ROLE_ARN: "arn:aws:iam::1:role/bad" }), {
    kind: "not-allowed",
    message: /role\/bad/,
  });
});

test("a container's service gives keys; its address may not be just anywhere", async (t) => {
  const service = await answering(t, ({ headers }, response) => {
    response.writeHead(headers.authorization === "pod-token" ? 200 : 401).end(issued("C"));
  });
  const environment = {
    AWS_CONTAINER_CREDENTIALS_FULL_URI: `${service.url}/creds`,
    AWS_CONTAINER_AUTHORIZATION_TOKEN: "pod-token",
  };
  assert.equal((await keysIn(t, environment))?.accessKeyId, "C");
  assert.equal(
    containerEndpoint({ AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: "/v2/x" })?.href,
    "http://169.254.170.2/v2/x",
  );
  for (const bad of ["http://169.254.169.254/x", "http://evil.example/x", "http://127.0.0.1.evil.example/", "nonsense"])
    assert.throws(() => containerEndpoint({ AWS_CONTAINER_CREDENTIALS_FULL_URI: bad }), { kind: "refused" }, bad);
});

test("the machine's own role is used only where the operator allows it, and only with a token first", async (t) => {
  const imds = await answering(t, ({ method, path, headers }, response) => {
    if (path === "/latest/api/token") return void response.writeHead(method === "PUT" ? 200 : 405).end("tok");
    if (headers["x-aws-ec2-metadata-token"] !== "tok") return void response.writeHead(401).end();
    response.end(path.endsWith("/security-credentials/") ? "my-role\n" : issued("M"));
  });
  const environment = { AWS_EC2_METADATA_SERVICE_ENDPOINT: imds.url };
  assert.equal(await keysIn(t, environment), undefined);
  assert.equal(imds.observed.length, 0);
  const allowed = { ...environment, TRIVIUM_WEIGHTS_INSTANCE_METADATA: "allowed" };
  assert.equal((await keysIn(t, allowed))?.accessKeyId, "M");
  assert.equal(imds.observed.at(-1)?.path, "/latest/meta-data/iam/security-credentials/my-role");
  assert.equal(await keysIn(t, { ...allowed, AWS_EC2_METADATA_DISABLED: "true" }), undefined);
});

test("keys are renewed before they run out, once for all who ask, and old ones serve while they hold", async () => {
  let [now, calls, isDown] = [0, 0, false];
  const login = renewing(
    async () => {
      if (isDown) throw new Error("down");
      return { accessKeyId: `K${++calls}`, secretAccessKey: "s", expiresAt: now + 3_600_000 };
    },
    () => now,
  );
  const ask = async () => (await login(signal))?.accessKeyId;
  assert.deepEqual(await Promise.all([ask(), ask(), ask()]), ["K1", "K1", "K1"]);
  now = 3_000_000;
  assert.equal(await ask(), "K1");
  now = 3_400_000;
  isDown = true;
  assert.equal(await ask(), "K1");
  isDown = false;
  assert.equal(await ask(), "K2");
  isDown = true;
  now += 3_600_001;
  await assert.rejects(login(signal), /down/);
});
