import assert from "node:assert/strict";
import { test } from "node:test";
import { redact } from "./redact.ts";

const base64 = (text: string): string => Buffer.from(text).toString("base64");

test("no credential is left, wherever it is written, and everything else is unchanged", () => {
  const jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl";
  const planted = [
    ...["hf_abcdefghijklmnop", "plain-words-of-a-secret", "wJalrXUtnFEMIbPxRfiCYEXAMPLEKEY", "AKIAIOSFODNN7EXAMPLE"],
    ...["letmein1234", "s3cr3t-in-args", "deadbeefcafe0123", "opensesame99", jwt, "in-an-annotation-77"],
  ];
  const [hub, words, awsKey, awsId, password, argument, signature, login, , annotation] = planted;
  const value = [
    { kind: "Secret", metadata: { name: "hub" }, data: { token: base64(`${words}`), other: base64(`${hub}\n`) } },
    {
      kind: "Deployment",
      metadata: {
        name: "chat",
        annotations: {
          "kubectl.kubernetes.io/last-applied-configuration": `{"x":"${annotation}"}`,
          "example.com/api-key": annotation,
        },
      },
      spec: {
        env: [
          { name: "HF_TOKEN", value: hub },
          { name: "AWS_SECRET_ACCESS_KEY", value: awsKey },
          { name: "AWS_ACCESS_KEY_ID", value: awsId },
          { name: "TOKEN_FILE", value: "/run/token" },
          { name: "API_KEY", valueFrom: { secretKeyRef: { name: "hub", key: "token" } } },
        ],
        args: ["--api-key", argument, "--port", "8080", `--password=${password}`, "--max-tokens", "128"],
        url: `https://user:${login}@host/x?X-Amz-Signature=${signature}&part=1`,
      },
    },
    { kind: "Event", message: `login with ${words} failed; Authorization: Bearer ${jwt}` },
  ];
  const clean = redact(value);
  const text = JSON.stringify(clean);
  for (const one of planted) assert.ok(!text.includes(`${one}`), `${one} is still there: ${text}`);
  for (const one of planted) assert.ok(!text.includes(base64(`${one}`)), `${one} is still there as base64`);
  const [secret, deployment, event] = clean as [
    never,
    { spec: { args: string[]; env: object[]; url: string } },
    object,
  ];
  assert.deepEqual(secret, {
    kind: "Secret",
    metadata: { name: "hub" },
    data: { token: base64("redacted"), other: base64("redacted") },
  });
  assert.deepEqual(deployment.spec.args, [
    ...["--api-key", "redacted", "--port", "8080", "--password=redacted", "--max-tokens", "128"],
  ]);
  assert.deepEqual(deployment.spec.env.slice(3), (value[1] as typeof deployment).spec.env.slice(3));
  assert.equal(deployment.spec.url, "https://user:redacted@host/x?X-Amz-Signature=redacted&part=1");
  assert.deepEqual(event, { kind: "Event", message: "login with redacted failed; Authorization: Bearer redacted" });
});

test("what only looks like one is unchanged", () => {
  const value = {
    spec: {
      secretName: "hub",
      tokenizer: "a/b",
      maxTokens: 12,
      topologyKey: "zone",
      secretKeyRef: { name: "x", key: "token" },
      keyFile: "/etc/key",
      source: "https://host/x?revision=main",
      message: "401: add a token with --token-file",
      args: ["--tokenizer", "a/b", "--secret-name", "hub"],
    },
  };
  assert.deepEqual(redact(value), value);
});

/** Each text has one credential, which no other place repeats. */
const planted: Readonly<Record<string, object>> = {
  "a variable that ends with PASS": { env: [{ name: "DB_PASS", value: "planted-value" }] },
  "a variable that ends with KEY": { env: [{ name: "ENCRYPTION_KEY", value: "planted-value" }] },
  "a variable with a number": { env: [{ name: "HF_TOKEN_2", value: "planted-value" }] },
  "a field in camel case": { spec: { dbPass: "planted-value" } },
  "a short value": { env: [{ name: "REDIS_AUTH", value: "pl4nt" }] },
  "an argument behind its flag": { args: ["--master-key", "planted-value"] },
  "an argument with its flag": { args: ["--db-pass=planted-value"] },
  "a shell command": { command: ["sh", "-c", "DB_PASS=planted-value serve --api-key planted-other --port 8080"] },
  "a list of arguments as text": { note: '["--api-key", "planted-value", "--port", "1"]' },
  "a list of arguments as text within text": { note: '{"a":"[\\"--api-key\\",\\"planted-value\\"]"}' },
  "a variable as text": { note: '[{"name":"DB_PASS","value":"planted-value"}]' },
  "JSON in a variable": { env: [{ name: "CONFIG", value: '{"apiKey": "planted-value"}' }] },
  "a setting of a ConfigMap": { kind: "ConfigMap", data: { HF_TOKEN: "planted-value" } },
  "YAML in a ConfigMap": { kind: "ConfigMap", data: { "config.yaml": "server:\n  token: planted-value\n  port: 1\n" } },
  "one line of YAML in a ConfigMap": { kind: "ConfigMap", data: { "config.yaml": "token: planted-value" } },
  "TOML in a ConfigMap": { kind: "ConfigMap", data: { "config.toml": '[db]\npassword = "planted-value"\n' } },
  "JSON in a ConfigMap": { kind: "ConfigMap", data: { "a.json": '{"db":{"password":"planted-value"}}' } },
  "a shell file in a ConfigMap": { kind: "ConfigMap", data: { ".env": "A=1\nexport DB_PASS='planted-value'\n" } },
  "binary data of a ConfigMap": { kind: "ConfigMap", binaryData: { x: base64("token: planted-value") } },
  "the address of a webhook": {
    env: [{ name: "ALERTS", value: "https://hooks.slack.com/services/T0000/B0000/pl4nt" }],
  },
  "a log": { answers: [{ fact: { value: "start\npassword=planted-value\n" } }] },
};

for (const [name, value] of Object.entries(planted))
  test(`a credential is removed: ${name}`, () => {
    const text = JSON.stringify(redact(value));
    for (const secret of ["planted-value", "planted-other", "pl4nt", base64("planted-value")])
      assert.ok(!text.includes(secret), text);
    assert.ok(text.includes("redacted") || text.includes(base64("redacted")), text);
  });

test("settings that are no credentials are unchanged in files, arguments and messages", () => {
  const value = [
    { kind: "ConfigMap", data: { "config.yaml": "tokenizer: a/b\nmax-tokens: 12\nkey: zone\nbypass: true\n" } },
    { args: ["--max-tokens=128", "--tokenizer", "a/b", "--model=$(MODEL_PATH)", "--api-key=$(API_KEY)"] },
    {
      env: [
        { name: "PWD", value: "/app" },
        { name: "API_KEY", value: "$(OTHER)" },
      ],
    },
    { conditions: [{ reason: "SecretNotFound", message: "Secret: hub not found; create it, or change the token" }] },
    { spec: { topologyKey: "zone", "x-kubernetes-patch-merge-key": "name", note: "a: b\nReady: yes" } },
  ];
  assert.deepEqual(redact(value), value);
});

test("a text without end is searched in time", () => {
  const parts = ["a.", "\n", "-", '"', '"a" ', "a://", "a", "-a ", "a=", "-----BEGIN PRIVATE KEY-----"];
  const start = performance.now();
  for (const part of parts) redact({ kind: "ConfigMap", data: { x: part.repeat(100_000 / part.length) } });
  assert.ok(performance.now() - start < 5_000);
});
