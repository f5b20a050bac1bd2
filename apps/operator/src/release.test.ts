import assert from "node:assert/strict";
import { test } from "node:test";
import { type OperatorOptions, parseOptions } from "./options/options.ts";
import { releaseOf } from "./release.ts";

function optionsOf(...args: string[]): OperatorOptions {
  const request = parseOptions(args);
  assert.ok(request.is === "run");
  return request.options;
}

test("replicas of one installation are one release; other options or another program are another", () => {
  const program = import.meta.filename;
  const first = releaseOf(optionsOf("--identity", "one", "--log-level", "debug"), program);
  assert.equal(releaseOf(optionsOf("--identity", "two"), program), first);
  assert.match(first, /^\d+\.\d+\.\d+-[0-9a-f]{12}$/);
  assert.notEqual(releaseOf(optionsOf("--aim-base-image", "registry.example/other:1"), program), first);
  assert.notEqual(releaseOf(optionsOf("--image-registry", "registry.example/ml"), program), first);
  assert.notEqual(releaseOf(optionsOf(), import.meta.filename.replace(".test", "")), first);
});
