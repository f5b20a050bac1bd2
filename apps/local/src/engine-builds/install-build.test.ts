import assert from "node:assert/strict";
import { test } from "node:test";
import { npmEnvironment, npmFailure } from "./install-build.ts";

test("npm trusts the authorities that downloads of weights trust", () => {
  assert.deepEqual(npmEnvironment({ SSL_CERT_FILE: "/a.pem" }), {
    SSL_CERT_FILE: "/a.pem",
    NODE_EXTRA_CA_CERTS: "/a.pem",
  });
  const both = { SSL_CERT_FILE: "/a.pem", NODE_EXTRA_CA_CERTS: "/b.pem" };
  assert.deepEqual(npmEnvironment(both), both);
  assert.deepEqual(npmEnvironment({ SSL_CERT_FILE: "" }), { SSL_CERT_FILE: "" });
});

test("a failure of npm is its sentence, not the code before it", () => {
  const stderr = [
    "npm error code SELF_SIGNED_CERT_IN_CHAIN",
    "npm error errno SELF_SIGNED_CERT_IN_CHAIN",
    "npm error request to https://npm.example/x failed, reason: self-signed certificate in certificate chain",
    "npm error A complete log of this run can be found in: /x.log",
  ].join("\n");
  assert.deepEqual(npmFailure(stderr), {
    code: "SELF_SIGNED_CERT_IN_CHAIN",
    text: "request to https://npm.example/x failed, reason: self-signed certificate in certificate chain",
  });
  assert.deepEqual(npmFailure("npm ERR! code E404\nnpm ERR! 404 Not Found"), { code: "E404", text: "404 Not Found" });
  assert.deepEqual(npmFailure("npm error Exit handler never called!"), { text: "Exit handler never called!" });
  assert.deepEqual(npmFailure(""), {});
});
