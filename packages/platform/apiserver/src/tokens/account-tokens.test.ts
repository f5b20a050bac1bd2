import assert from "node:assert/strict";
import { createPublicKey, generateKeyPairSync, sign, verify } from "node:crypto";
import { test } from "node:test";
import { createAccountTokens } from "./account-tokens.ts";

const newKey = () => {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return privateKey.export({ type: "pkcs8", format: "pem" }) as string;
};
const key = newKey();
const tokens = createAccountTokens(key);
const issued = Date.UTC(2026, 0, 1);
const request = {
  namespace: "shop",
  serviceAccount: "robot",
  uid: "1-2-3",
  audiences: ["https://kubernetes.default.svc"],
  issued,
  expires: issued + 600_000,
};
const part = (token: string, at: number) =>
  JSON.parse(Buffer.from(token.split(".")[at] as string, "base64url").toString());
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

test("a token has the claims of a real server's, and a signature that anybody can check", () => {
  const token = tokens.issue(request);
  const { jti, ...claims } = part(token, 1);
  assert.match(jti, /^[0-9a-f-]{36}$/);
  assert.deepEqual(claims, {
    aud: ["https://kubernetes.default.svc"],
    exp: issued / 1000 + 600,
    iat: issued / 1000,
    iss: "https://kubernetes.default.svc",
    "kubernetes.io": { namespace: "shop", serviceaccount: { name: "robot", uid: "1-2-3" } },
    nbf: issued / 1000,
    sub: "system:serviceaccount:shop:robot",
  });
  assert.equal(part(token, 0).alg, "ES256");
  const [head, payload, signature] = token.split(".") as [string, string, string];
  const known = { key: createPublicKey(key), dsaEncoding: "ieee-p1363" } as const;
  assert.ok(verify("sha256", Buffer.from(`${head}.${payload}`), known, Buffer.from(signature, "base64url")));
});

test("what was issued can be read, and is the same object while it is in use", () => {
  const bound = { kind: "Pod", name: "p", uid: "4" } as const;
  const token = tokens.issue({ ...request, bound });
  assert.deepEqual(tokens.read(token), { ...request, bound, id: part(token, 1).jti });
  assert.equal(tokens.read(token), tokens.read(token));
});

test("no other text is a token", () => {
  const token = tokens.issue(request);
  const [head, payload, signature] = token.split(".") as [string, string, string];
  const claims = part(token, 1);
  const forged = encode({ ...claims, sub: "system:serviceaccount:kube-system:admin" });
  const unsigned = `${encode({ alg: "none" })}.${payload}.`;
  const withSecret = `${encode({ alg: "HS256", kid: part(token, 0).kid })}.${payload}`;
  const hmac = sign("sha256", Buffer.from(withSecret), { key: newKey(), dsaEncoding: "ieee-p1363" }).toString(
    "base64url",
  );
  const others = [
    "",
    ".",
    "..",
    "a.b.c",
    `${head}.${payload}`,
    `${head}.${payload}.`,
    `${head}.${forged}.${signature}`,
    `${token}.x`,
    unsigned,
    `${withSecret}.${hmac}`,
    createAccountTokens(newKey()).issue(request),
  ];
  for (const text of others) assert.equal(tokens.read(text), undefined, text);
});
