import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { faultOfPattern, Matcher } from "./index.ts";

const matches = (pattern: string, text: string) => new Matcher(pattern).test(text);

test("patterns match as Go's do, where JavaScript's would not", () => {
  const rows: readonly (readonly [string, string, boolean])[] = [
    ["^a+$", "aaa", true],
    ["^a+$", "aab", false],
    ["b", "abc", true],
    ["", "", true],
    ["^$", "", true],
    ["^$", "x", false],
    ["\\Aab\\z", "ab", true],
    ["\\Aab\\z", "ab\n", false],
    ["(?i)^HeLLo$", "hEllO", true],
    ["^(?i:a)b$", "Ab", true],
    ["^(?i:a)b$", "AB", false],
    ["^\\s$", "\u00a0", false],
    ["^\\w+$", "é", false],
    ["^\\d$", "٣", false],
    ["^[[:alpha:]]+$", "abC", true],
    ["^\\pL+$", "éß", true],
    ["^\\p{Greek}+$", "αβ", true],
    ["^\\P{Lu}$", "A", false],
    ["^.$", "😀", true],
    ["^.$", "\n", false],
    ["(?s)^.$", "\n", true],
    ["(?m)^b$", "a\nb\nc", true],
    ["\\bfoo\\b", "a foo b", true],
    ["\\bfoo\\b", "afoob", false],
    ["^(a|b|cd){2,3}$", "acdb", true],
    ["^(a|b|cd){2,3}$", "a", false],
    ["^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", "my-name", true],
    ["^[^a-c]$", "d", true],
    ["^[]a]$", "]", true],
    ["^[a-]$", "-", true],
    ["^\\x41\\x{1F600}$", "A😀", true],
    ["^\\Qa.b\\E$", "a.b", true],
    ["^\\Qa.b\\E$", "axb", false],
    ["^a{,2}$", "a{,2}", true],
    ["^(?P<year>\\d{4})-(?<month>\\d\\d)$", "2024-05", true],
    ["a$|^b", "xa", true],
    ["(^|x)a", "a", true],
    ["(?U)^a+$", "aa", true],
  ];
  for (const [pattern, text, wanted] of rows) assert.equal(matches(pattern, text), wanted, `${pattern} on ${text}`);
});

test("the leftmost match is found, with Go's preference between alternatives", () => {
  const find = (pattern: string, text: string) => {
    const found = new Matcher(pattern).find(text);
    return found === undefined ? undefined : text.slice(found.start, found.end);
  };
  assert.equal(find("a|ab", "xab"), "a");
  assert.equal(find("a+", "baaac"), "aaa");
  assert.equal(find("a+?", "baaac"), "a");
  assert.equal(find("[0-9]+", "abc 123 456"), "123");
  assert.equal(find("x", "abc"), undefined);
  assert.equal(find("", "abc"), "");
});

test("what Go refuses is refused in Go's words", () => {
  const rows: readonly (readonly [string, string])[] = [
    ["(", "missing closing ): `(`"],
    [")", "unexpected ): `)`"],
    ["[a", "missing closing ]: `[a`"],
    ["*", "missing argument to repetition operator: `*`"],
    ["a**", "invalid nested repetition operator: `**`"],
    ["a{2}{3}", "invalid nested repetition operator: `{2}{3}`"],
    ["a{1001}", "invalid repeat count: `{1001}`"],
    ["a{3,2}", "invalid repeat count: `{3,2}`"],
    ["(?=a)", "invalid or unsupported Perl syntax: `(?=`"],
    ["(a)\\1", "invalid escape sequence: `\\1`"],
    ["[z-a]", "invalid character class range: `z-a`"],
    ["a\\", "trailing backslash at end of expression: ``"],
    ["\\p{Nope}", "invalid character class range: `\\p{Nope}`"],
  ];
  for (const [pattern, problem] of rows)
    assert.equal(faultOfPattern(pattern), `error parsing regexp: ${problem}`, pattern);
});

test("patterns that take JavaScript's engine for ever are tested in one walk", () => {
  const evil = `${"a".repeat(50_000)}!`;
  for (const pattern of [
    "^(a+)+$",
    "^(a|a)*$",
    "^(a|aa)+$",
    "^(.*)*$x",
    "^a*a*a*a*a*a*b$",
    "(x+x+)+y",
    "^([a-zA-Z0-9])+([a-zA-Z0-9_.])*@$",
  ]) {
    assert.equal(matches(pattern, evil), false, pattern);
  }
  assert.equal(matches("^(a?){50}a{50}$", "a".repeat(50)), true);
});

test("a pattern cannot blow up the compiler or the memory", () => {
  assert.match(faultOfPattern("((a{100}){100}){100}") ?? "", /too large/);
  assert.match(faultOfPattern("(".repeat(5000)) ?? "", /nests too deeply/);
  assert.equal(matches("[01]*1[01]{14}", `${"10".repeat(3000)}x`), true);
});

test("on random small patterns and texts both engines agree", () => {
  const atom = fc.constantFrom("a", "b", "[ab]", ".", "(a|b)", "(ab)", "^", "$", "[^a]");
  const part = fc
    .tuple(atom, fc.constantFrom("", "*", "+", "?", "{1,2}"))
    .map(([what, times]) => (/[\^$]$/.test(what) && what.length === 1 ? what : what + times));
  const pattern = fc.array(part, { maxLength: 5 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(pattern, fc.stringMatching(/^[abc]{0,8}$/), (source, text) => {
      assert.equal(matches(source, text), new RegExp(source).test(text));
      const found = new Matcher(source).find(text);
      const wanted = new RegExp(source).exec(text);
      assert.deepEqual(
        found,
        wanted === null ? undefined : { start: wanted.index, end: wanted.index + wanted[0].length },
      );
    }),
    { numRuns: 500 },
  );
});
