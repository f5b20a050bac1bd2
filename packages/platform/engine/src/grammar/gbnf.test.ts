import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { faultOfGrammar } from "./gbnf.ts";
import { answerOnly, withoutPrefix } from "./root-rule.ts";

describe("a grammar", () => {
  const good = [
    'root ::= "yes" | "no"',
    "root ::= [a-z]+ # letters\n",
    'root ::= item (", " item)* \nitem ::= [^\\x00-\\x1F"]{1,20} | "\\u00e9\\n\\""',
    "root ::= . root",
    "root ::= a? b\na ::= [x]\nb ::= (\n  [y]\n  | [z]\n)",
    "root ::=\n  [a]\n",
    'root ::= "" [a]',
    "root ::= [^\\x00] root",
    'space ::= | " " | "\\n"{1,2} [ \\t]{0,20}\nroot ::= space [0-9]{3,}',
    'root ::= "a"{2} b{1,}\nb ::= [-+]',
  ];
  for (const text of good) it(`is taken: ${JSON.stringify(text)}`, () => assert.equal(faultOfGrammar(text), undefined));

  const bad: [text: string, why: RegExp][] = [
    ["", /no rule named root/],
    ["x ::= [a]", /no rule named root/],
    ["root ::= [", /unexpected end/],
    ["root ::= []", /empty character set/],
    ['root ::= "abc', /unexpected end/],
    ["root := [a]", /expecting "::="/],
    ["root ::= (a", /expecting "\)"/],
    ["root ::= a", /undefined rule a/],
    ["root ::= root [a] | [b]", /left recursion in rule root/],
    ["root ::= a [x]\na ::= b?\nb ::= a", /left recursion/],
    ["root ::= x root\nx ::= [a]?", /left recursion/],
    ['root ::= "\\q"', /unknown escape/],
    ['root ::= "\\x1"', /expecting 2 hex digits/],
    ["root ::= [a]{5000}", /repetition of more than 2000/],
    ["root ::= [a]{3,2}", /ends before it starts/],
    ["root ::= [a]{x}", /expecting a repetition/],
    ["root ::= [a] )", /expecting the end of the rule/],
    [`root ::= ${"(".repeat(500)}[a]${")".repeat(500)}`, /nested too deep/],
  ];
  for (const [text, why] of bad)
    it(`is refused: ${JSON.stringify(text.slice(0, 40))}`, () => assert.match(faultOfGrammar(text) ?? "", why));
});

describe("the root of a grammar that native code made", () => {
  it("loses the end of the prompt", () => {
    assert.equal(withoutPrefix('a ::= [x]\nroot ::= "say:\\n" a\n', "say:\n"), "a ::= [x]\nroot ::= a\n");
    assert.equal(withoutPrefix('root ::= "other" a', "say:"), 'root ::= "other" a');
    assert.equal(withoutPrefix("root ::= a | b", ""), "root ::= a | b");
  });
  it("becomes the answer alone where a schema describes it", () => {
    const made = 'response-format ::= [x]\nroot ::= "p:" ("```json" response-format "```" | response-format)\n';
    assert.equal(answerOnly(made, "p:"), "response-format ::= [x]\nroot ::= response-format\n");
  });
});
