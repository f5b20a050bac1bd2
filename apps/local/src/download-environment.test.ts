import assert from "node:assert/strict";
import { test } from "node:test";
import { downloadEnvironmentOf } from "./download-environment.ts";

test("downloads in pods reach the outside as the shell does, and get none of its credentials", () => {
  const reach = {
    HF_ENDPOINT: "https://hub.example",
    https_proxy: "http://proxy:3128",
    NO_PROXY: "",
    SSL_CERT_FILE: "/ca.pem",
  };
  const rest = { HF_TOKEN: "hf_secret", AWS_SECRET_ACCESS_KEY: "secret", PATH: "/bin", HOME: "/root" };
  assert.deepEqual(downloadEnvironmentOf({ ...reach, ...rest }), reach);
});
