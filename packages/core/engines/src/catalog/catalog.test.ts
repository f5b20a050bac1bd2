import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { matchesRepository } from "./repository-pattern.ts";
import { compareBuilds, compareVersions, parseSemanticVersion, parseVersion, type Version } from "./version.ts";
import { parseConstraint } from "./version-constraint.ts";

const version = (text: string): Version => {
  const found = parseVersion(text);
  assert.ok(found, text);
  return found;
};

test("versions are ordered as the standard says", () => {
  const order = [
    "0.8.0",
    "0.8.1-alpha",
    "0.8.1-rc1",
    "0.8.1-rc1.2",
    "0.8.1-rc1.10",
    "0.8.1",
    "1.0.0-1",
    "1.0.0-a",
    "1.0.0",
  ];
  for (const [i, a] of order.entries())
    for (const [j, b] of order.entries()) {
      assert.equal(Math.sign(compareVersions(version(a), version(b))), Math.sign(i - j), `${a} and ${b}`);
    }
  assert.equal(compareVersions(version("v1.2.3+a"), version("1.2.3+b")), 0);
  for (const text of ["latest", "1", "1.2", "1.2.3.4", "01.2.3", "1.2.3-01", "1.2.3-", "", "1.2.x", "-1.0.0", "1.0.0 "])
    assert.equal(parseSemanticVersion(text), undefined, text);
});

test("constraints", () => {
  const table: [string, string[], string[]][] = [
    [">=0.8.0", ["0.8.0", "0.8.1-rc1", "1.0.0", "v2.0.0"], ["0.8.0-rc1", "0.7.9"]],
    [">=0.8.1-rc1", ["0.8.1-rc1", "0.8.1-rc2", "0.8.1"], ["0.8.0", "0.8.1-beta"]],
    [">=0.9", ["0.9.0", "0.9.1", "1.0.0"], ["0.8.9", "0.9.0-rc1"]],
    [">1.2", ["1.3.0", "2.0.0"], ["1.2.0", "1.2.9"]],
    ["<=1.2", ["1.2.9", "0.1.0"], ["1.3.0", "1.3.0-rc1"]],
    ["<2.0.0", ["1.9.9", "2.0.0-rc1"], ["2.0.0"]],
    ["~1.2.0", ["1.2.0", "1.2.9", "1.2.1-rc1"], ["1.3.0", "1.3.0-rc1", "1.1.9", "1.2.0-rc1"]],
    ["~1.2", ["1.2.0", "1.2.9"], ["1.3.0"]],
    ["~1", ["1.0.0", "1.9.0"], ["2.0.0", "0.9.0"]],
    ["~> 1.2.3", ["1.2.3", "1.2.9"], ["1.3.0"]],
    ["^1.0.0", ["1.0.0", "1.9.9"], ["2.0.0", "2.0.0-rc1", "0.9.9"]],
    ["^1.2.3", ["1.2.3", "1.9.0"], ["1.2.2", "2.0.0"]],
    ["^0.2.3", ["0.2.3", "0.2.9"], ["0.3.0", "0.2.2"]],
    ["^0.0.3", ["0.0.3"], ["0.0.4", "0.0.2"]],
    ["^0.0", ["0.0.5"], ["0.1.0"]],
    ["^0", ["0.9.0"], ["1.0.0"]],
    ["1.2.3", ["1.2.3", "v1.2.3"], ["1.2.4"]],
    ["=1.2.3", ["1.2.3"], ["1.2.3-rc1"]],
    ["1.2", ["1.2.0", "1.2.9"], ["1.3.0"]],
    ["1.x", ["1.0.0", "1.9.9"], ["2.0.0"]],
    ["*", ["0.0.0-a", "9.9.9"].slice(1), []],
    ["!=1.2.3", ["1.2.4"], ["1.2.3"]],
    ["!=1.2", ["1.3.0"], ["1.2.5"]],
    [">=1.0.0 <2.0.0", ["1.5.0"], ["2.0.0", "0.9.0"]],
    [">= 1.0.0, < 2.0.0", ["1.5.0"], ["2.0.0"]],
    ["<1.0.0 || >=2.0.0", ["0.5.0", "2.1.0"], ["1.5.0"]],
    ["1.0.0 - 2.0.0", ["1.0.0", "2.0.0"], ["2.0.1"]],
    [">=v1.0.0", ["1.0.0"], ["0.9.0"]],
  ];
  for (const [text, good, bad] of table) {
    const constraint = parseConstraint(text);
    assert.ok(constraint, text);
    for (const one of good) assert.equal(constraint(version(one)), true, `${one} ${text}`);
    for (const one of bad) assert.equal(constraint(version(one)), false, `${one} not ${text}`);
  }
  for (const text of ["", "latest", ">=", ">=a", "1.2.3.4", ">==1.0.0", "||", ">=1.0.0 ||", "~", "x".repeat(600)])
    assert.equal(parseConstraint(text), undefined, text.slice(0, 20));
});

test("a constraint of any text can be read or not, and decides", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 600, unit: fc.constantFrom(..."0123456789.xX*<>=!~^-|, vrc") }), (text) => {
      assert.ok([true, false, undefined].includes(parseConstraint(text)?.(version("1.2.3"))));
    }),
  );
});

test("patterns of repositories", () => {
  const table: [string, string, boolean][] = [
    ["a/aim-*", "a/aim-foo", true],
    ["a/aim-*", "a/aim-", true],
    ["a/*", "a/b/c", true],
    ["*", "a/b", true],
    ["*-llama-*", "a/aim-llama-8b", true],
    ["a/aim", "a/aim-foo", false],
    ["a*a", "a", false],
    ["a*b*c", "aXbYc", true],
    ["a*b*c", "acb", false],
    ["a/b*", "x/a/b", false],
    [`${"*a".repeat(100)}`, "a".repeat(99), false],
  ];
  for (const [pattern, name, fits] of table) assert.equal(matchesRepository(pattern, name), fits, `${pattern} ${name}`);
});

test("versions as runtimes and models write them", () => {
  const order = [
    "1.7.9",
    "1.8.0-alpha",
    "1.8.0-beta.2",
    "1.8.0-beta.10",
    "1.8.0.dev0",
    "1.8.0",
    "1.8.0+1",
    "1.8.0+2",
    "1.10",
  ];
  const all = order.map(version);
  for (const [at, one] of all.entries()) {
    const next = all[at + 1];
    assert.equal(compareBuilds(one, one), 0);
    if (next !== undefined) assert.ok(compareBuilds(one, next) < 0, `${order[at]} before ${order[at + 1]}`);
  }
  assert.deepEqual([version("v1").precision, version("1.2").precision, version("v1").hasPrefix], [1, 2, true]);
  for (const text of ["", "01.0", "1.x", "1.0.0+", "1.0.0.foo", "1-rc", "1.", "9".repeat(19)])
    assert.equal(parseVersion(text), undefined, text);
});
