import assert from "node:assert/strict";
import { test } from "node:test";
import { type AnyObject, Deployment, Secret } from "@trivium/kube";
import { compareStates, type PlannedObject } from "./difference.ts";

const deployment = (container: object): PlannedObject => ({
  kind: Deployment,
  object: {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "chat", namespace: "default" },
    spec: { template: { spec: { containers: [{ name: "main", ...container }] } } },
  } as unknown as AnyObject,
});

const secret = (data: object): PlannedObject => ({
  kind: Secret,
  object: {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "hub", namespace: "default" },
    data,
  } as unknown as AnyObject,
});

const fieldsOf = (before: PlannedObject, after: PlannedObject) => compareStates([before], [after])[0]?.fields;

test("a credential that changes is a difference, and its value is not shown", () => {
  const env = (value: string) => deployment({ env: [{ name: "DB_PASS", value }] });
  const at = "spec.template.spec.containers[main]";
  assert.deepEqual(fieldsOf(env("a1"), env("b2")), [
    { path: `${at}.env[DB_PASS].value`, from: "redacted", to: "redacted" },
  ]);
  const args = (value: string) => deployment({ args: ["--api-key", value, "--port", "1"] });
  assert.deepEqual(fieldsOf(args("a1"), args("b2")), [{ path: `${at}.args[1]`, from: "redacted", to: "redacted" }]);
  const inline = (value: string) => deployment({ args: [`--api-key=${value}`] });
  assert.deepEqual(fieldsOf(inline("a1"), inline("b2")), [
    { path: `${at}.args[0]`, from: "--api-key=redacted", to: "--api-key=redacted" },
  ]);
  assert.deepEqual(fieldsOf(secret({ token: "YTE=" }), secret({ token: "YjI=" })), [
    { path: "data.token", from: "redacted", to: "redacted" },
  ]);
});

test("other values are shown unchanged", () => {
  const image = (value: string) => deployment({ image: value });
  assert.deepEqual(fieldsOf(image("a:1"), image("a:2")), [
    { path: "spec.template.spec.containers[main].image", from: "a:1", to: "a:2" },
  ]);
  assert.equal(fieldsOf(image("a:1"), image("a:1")), undefined);
});
