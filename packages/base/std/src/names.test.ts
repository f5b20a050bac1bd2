import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  faultsOfConfigKey,
  faultsOfDns1035Label,
  faultsOfDnsLabel,
  faultsOfDnsSubdomain,
  faultsOfLabelKey,
  faultsOfLabelValue,
  faultsOfQualifiedName,
  nameWithHash,
} from "./names.ts";

test("good names have no faults", () => {
  assert.deepEqual(faultsOfDnsLabel("a-1"), []);
  assert.deepEqual(faultsOfDnsSubdomain("a.b-c.1"), []);
  assert.deepEqual(faultsOfDns1035Label("a1"), []);
  assert.deepEqual(faultsOfLabelKey("example.com/My_Name.1"), []);
  assert.deepEqual(faultsOfLabelValue(""), []);
  assert.deepEqual(faultsOfConfigKey("a.b_c-D"), []);
});

const longSubdomain = Array(64).fill("aaaa").join(".");

test("faults are told in the words of the real server", () => {
  assert.deepEqual(faultsOfDnsLabel("a.b"), ["must not contain dots"]);
  assert.deepEqual(faultsOfDnsLabel("A"), [
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
  ]);
  assert.deepEqual(faultsOfDnsSubdomain("a/b"), [
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
  ]);
  assert.deepEqual(faultsOfDnsLabel("a".repeat(64)), ["must be no more than 63 characters"]);
  assert.deepEqual(faultsOfDns1035Label("a".repeat(64)), ["must be no more than 63 characters"]);
  assert.deepEqual(faultsOfDnsSubdomain(longSubdomain), ["must be no more than 253 characters"]);
  assert.deepEqual(faultsOfConfigKey("a".repeat(254)), ["must be no more than 253 characters"]);
  assert.deepEqual(faultsOfLabelValue("a".repeat(64)), ["must be no more than 63 bytes"]);
  assert.deepEqual(faultsOfQualifiedName("a".repeat(64)), ["name part must be no more than 63 bytes"]);
  assert.deepEqual(faultsOfQualifiedName(`${longSubdomain}/a`), ["prefix part must be no more than 253 bytes"]);
  assert.deepEqual(faultsOfLabelKey("/x"), ["prefix part must be non-empty"]);
  assert.equal(faultsOfLabelKey("a/b/c").length, 1);
  assert.equal(faultsOfLabelKey("").length, 2);
  assert.equal(faultsOfLabelValue("-x").length, 1);
  assert.deepEqual(faultsOfConfigKey(".."), ["must not be '..'"]);
  for (const name of ["", "a_b", "-a", "a-", "a..b", "é", "a b", "../x"]) {
    assert.notDeepEqual(faultsOfDnsSubdomain(name), [], name);
  }
});

test("a long dotted name that almost matches is refused at once", () => {
  assert.equal(faultsOfDnsSubdomain(`${"a.".repeat(50_000)}!`).length, 2);
});

test("a name with a hash is always a good label and differs with its source", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z][a-z0-9.-]{0,300}$/), fc.string(), (base, source) => {
      const name = nameWithHash(base, source);
      assert.ok(name.length <= 63);
      assert.deepEqual(faultsOfDnsSubdomain(name.replaceAll(/[.-]{2,}/g, "-")), []);
    }),
  );
  assert.notEqual(nameWithHash("x", "1"), nameWithHash("x", "2"));
  assert.match(nameWithHash("model", "spec", 20), /^model-[a-z0-9]{10}$/);
});
