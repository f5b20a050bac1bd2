import assert from "node:assert/strict";
import { test } from "node:test";
import { emptyPayload, encodeStrictly, signatureHeaders } from "./sigv4.ts";

// The worked examples of the Amazon S3 documentation, with its published example keys.
const credentials = {
  accessKeyId: "AKIAIOSFODNN7EXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
};
const sign = (address: string) =>
  signatureHeaders(
    {
      method: "GET",
      url: new URL(address),
      region: "us-east-1",
      service: "s3",
      now: new Date("2013-05-24T00:00:00Z"),
      payload: emptyPayload,
    },
    credentials,
  );

test("signatures equal the published ones", () => {
  const lifecycle = sign("https://examplebucket.s3.amazonaws.com/?lifecycle");
  assert.equal(
    lifecycle.authorization,
    "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature=fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
  );
  const list = sign("https://examplebucket.s3.amazonaws.com/?max-keys=2&prefix=J");
  assert.match(list.authorization ?? "", /34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7$/);
});

test("only unreserved characters stay as they are", () => {
  assert.equal(encodeStrictly("aZ0-_.~ !'()*+/=&é"), "aZ0-_.~%20%21%27%28%29%2A%2B%2F%3D%26%C3%A9");
});
