import assert from "node:assert/strict";
import { test } from "node:test";
import { redact } from "../redact.ts";

const secret = "S3cretV4lueXYZ";
const line = "Ab1+".repeat(16);
const letters = "abcdefghijklmnopqrstuvwxyzabcdefgh";

/** A text with a credential, and what is left of it. */
const leaks: readonly (readonly [string, string])[] = [
  [`{'model': 'm', 'api_key': ['${secret}'], 'port': 8000}`, "{'model': 'm', 'api_key': ['redacted'], 'port': 8000}"],
  [`{"headers": {"Authorization": ["${secret}"]}}`, '{"headers": {"Authorization": ["redacted"]}}'],
  [`Namespace(api_key=['tok-one', '${secret}'], x=1)`, "Namespace(api_key=['redacted'], x=1)"],
  [`{'api_key': b'${secret}'}`, "{'api_key': b'redacted'}"],
  [`{"password": "ab\\"${secret}"}`, '{"password": "redacted"}'],
  [`{\\"token\\":\\"${secret}\\"}`, '{\\"token\\":\\"redacted\\"}'],
  [`vllm --api-key "${secret}" --port 1`, 'vllm --api-key "redacted" --port 1'],
  [`vllm --api-key='${secret}' --port 1`, "vllm --api-key='redacted' --port 1"],
  [`['vllm','--api-key','${secret}']`, "['vllm','--api-key','redacted']"],
  [`password='ab ${secret}' x`, "password='redacted' x"],
  [`password="ab;${secret}" x`, 'password="redacted" x'],
  [`curl -H 'x-api-key: ${secret}' x`, "curl -H 'x-api-key: redacted' x"],
  [`Authorization: Token ${secret}`, "Authorization: Token redacted"],
  [`> authorization: ${secret}`, "> authorization: redacted"],
  [`AWS_SECRET_ACCESS_KEY: ${secret}`, "AWS_SECRET_ACCESS_KEY: redacted"],
  [`got password = ${secret} for x`, "got password = redacted for x"],
  [`GET https://${secret}@host/x`, "GET https://redacted@host/x"],
  [`GET https://me:pa/${secret}@host/x`, "GET https://me:redacted@host/x"],
  [`GET https://me:p@${secret}@host/x`, "GET https://me:redacted@host/x"],
  [`GET https://me:p@${secret}/w@host/x`, "GET https://me:redacted@host/x"],
  [`redis://:${secret}@db`, "redis://:redacted@db"],
  [`Protocol=https;AccountKey=${secret}==;EndpointSuffix=x`, "Protocol=https;AccountKey=redacted;EndpointSuffix=x"],
  ["key AIzaSyA1234567890abcdefghijklmnopqrstuv is bad", "key redacted is bad"],
  [`hub: hf_${letters} is bad`, "hub: redacted is bad"],
  [`curl -u me:${secret} https://x`, "curl -u me:redacted https://x"],
  [`cut: Ab1\n${line}\n${line}\nAb1=\n-----END RSA PRIVATE KEY-----\nend`, "cut: redacted\nend"],
  [`-----BEGIN PRIVATE KEY-----\n${line}\n-----END PRIVATE KEY-----\nend`, "redacted\nend"],
  ["Bearer abcdefgh1 refused", "Bearer redacted refused"],
  [`Basic ${letters} refused`, "Basic redacted refused"],
  [`api_key=${secret}: ${secret} is not known`, "api_key=redacted: redacted is not known"],
  [`headers=[(b'authorization', b'${secret}')]`, "headers=[(b'authorization', b'redacted')]"],
  [`{"auths":{"host":{"auth":"${secret}"}}}`, '{"auths":{"host":{"auth":"redacted"}}}'],
  [`Namespace(api_key=${secret})`, "Namespace(api_key=redacted)"],
  [`Invalid token: ${secret}`, "Invalid token: redacted"],
  [`401: invalid user token ${secret}, log in again`, "401: invalid user token redacted, log in again"],
  [`Incorrect API key provided: ${secret}.`, "Incorrect API key provided: redacted."],
  [`user access token "${secret}" is expired`, 'user access token "redacted" is expired'],
  [`> Cookie: lang=en; id=${secret}`, "> Cookie: redacted"],
  [`< set-cookie: id=${secret}; Path=/\nend`, "< set-cookie: redacted\nend"],
  [`{"cookie": "id=${secret}"}`, '{"cookie": "redacted"}'],
  [`headers=[('Cookie', 'id=${secret}')]`, "headers=[('Cookie', 'redacted')]"],
  [`curl --cookie ${secret} https://x`, "curl --cookie redacted https://x"],
  [`GET /x?auth=${secret}&b=1`, "GET /x?auth=redacted&b=1"],
  [`GET /x?a=1&sid=${secret}`, "GET /x?a=1&sid=redacted"],
  ["token hf_AbCdEfGh1 is cut", "token hf_redacted is cut"],
  ["token hf_xYzAbCdEfGh is cut", "token hf_redacted is cut"],
  [`Namespace(password=(a[b{${secret})`, "Namespace(password=redacted)"],
];

for (const [text, left] of leaks) test(`a credential is removed: ${text}`, () => assert.equal(redact(text), left));

const innocent: readonly string[] = [
  "HF_HUB_ENABLE_HF_TRANSFER=1 but 'hf_transfer' package is not available; pip install hf_transfer",
  "'NoneType' object has no attribute 'hf_quantizer'",
  "unexpected keyword argument 'hf_overrides' of hf_hub_download()",
  "401 basic authentication required; bearer authentication failed; Basic requirements",
  "needs bos_token='<s>' but has bos_token='<|startoftext|>'; unk_token=[UNK] pad_token: 0",
  "--max-token 4096 --special-token <|im_end|> --eos-token 128009: 128009 is out of range",
  "print_info: EOS token        = 151645 '<|im_end|>'",
  "print_info: BOS token=128000 '<|begin|>'",
  "KeyError: missing_key=model.layers.0.weight; model.layers.0.weight is absent",
  "n_tokens = 512, unexpected token: {",
  "api_key=None, 'token': [1, 2], token=true",
  "--api-key=$(API_KEY) --hf-token $(HF_TOKEN)",
  "x-api-key: missing; Authorization: required; HF_TOKEN: not set",
  "401: set --api-key or HF_TOKEN, add a token with --token-file",
  "GET http://host:8080/a@b and http://[::1]:8080/a@b",
  "image registry:5000/x@sha256:abcdef; oci://registry:5000/x@sha256:abcdef; ssh://git@host/x",
  "invalid token: 128009; invalid token id 151645; unknown token '<|im_end|>'; token '151645' is out of range",
  "Unexpected token 'a', \"abc\" is not valid JSON; bad password; wrong secret name for this Pod",
  "cookie: disabled; the cookie is not set",
  "hf_model2 and hf_Qwen are arguments of hf_download",
  "docker run --user 1000:1000 -u 0:0",
  "usage: serve [--api-key [KEY ...]] [--port 1]",
];

for (const text of innocent) test(`what is no credential is left: ${text}`, () => assert.equal(redact(text), text));

test("a list and a login are credentials in an object, too", () => {
  const value = { headers: { Authorization: [secret] }, args: ["-u", `me:${secret}`, "--user", "1000:1000"] };
  assert.deepEqual(redact(value), {
    headers: { Authorization: ["redacted"] },
    args: ["-u", "me:redacted", "--user", "1000:1000"],
  });
});

test("the time of the search grows with the text, and not with its square", () => {
  const parts = [
    ...[
      "a",
      "a.",
      "a_",
      "\n",
      " \n",
      "-",
      '"',
      "'a' ",
      "a://",
      "a://b:",
      "a@",
      "-a ",
      "--a ",
      "a=",
      '"a":',
      "?a",
      "sk-",
      "cookie: a=",
      "?sid=",
      "invalid token ",
      "invalid aa ",
    ],
    ...[
      "eyJaaaaaaaa-",
      "eyJaaaaaaaa.",
      "hf_",
      "Bearer ",
      "token=[",
      "token=['",
      'token="',
      "token: ",
      "token = ",
      "-u a:",
    ],
    ...[
      '"name":"',
      "hooks.slack.com/services/",
      "-----BEGIN PRIVATE KEY-----",
      "-----END ",
      `${line}\n`,
      "x-api-key: ",
    ],
  ];
  for (const part of [...parts, ...parts.map((one) => `${one} `)]) {
    const start = performance.now();
    redact(part.repeat(200_000 / part.length));
    const took = performance.now() - start;
    assert.ok(took < 3_000, `${part} took ${took} ms`);
  }
});

test("a long row of digits behind the name of a credential is read in time", () => {
  const start = performance.now();
  redact(`invalid token: ${"1".repeat(200_000)}`);
  assert.ok(performance.now() - start < 3_000);
});

test("many credentials are found in time", () => {
  const text = Array.from({ length: 20_000 }, (_, at) => `password=pw${at}xxxx`).join(" ");
  const start = performance.now();
  assert.ok(!redact(text).includes("xxxx"));
  assert.ok(performance.now() - start < 3_000);
});
