import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { MessageParser } from "./message-parser.ts";

/** Expressions by name instead of by number, so that a test can be read. */
function grammar(named: Readonly<Record<string, object>>): string {
  const names = Object.keys(named);
  const number = (name: string): number => names.indexOf(name);
  const parsers = Object.values(named).map((given) => {
    const { child, children, ...rest } = given as { child?: string; children?: string[] };
    return {
      ...rest,
      ...(child === undefined ? {} : { child: number(child) }),
      ...(children === undefined ? {} : { children: children.map(number) }),
    };
  });
  return JSON.stringify({ parsers, rules: {}, root: 0 });
}

const literal = (text: string) => ({ type: "literal", literal: text });
const tag = (name: string, child: string) => ({ type: "tag", tag: name, child });
const sequence = (...children: string[]) => ({ type: "sequence", children });
const atomic = (child: string) => ({ type: "atomic", child });
const optional = (child: string) => ({ type: "repetition", child, min_count: 0, max_count: 1 });
const until = (...delimiters: string[]) => ({ type: "until", delimiters });

const thinking = grammar({
  root: sequence("start", "thought?", "content", "end"),
  start: literal("AI:"),
  "thought?": optional("thought"),
  thought: sequence("open", "reasoning", "close"),
  open: literal("<think>"),
  reasoning: tag("reasoning", "untilClose"),
  untilClose: until("</think>"),
  close: literal("</think>"),
  content: tag("content", "rest"),
  rest: until(),
  end: { type: "end" },
});

describe("reasoning", () => {
  const parser = new MessageParser(thinking, "AI:");
  const parse = (text: string) => {
    const { content, reasoning } = parser.parse(text);
    return [reasoning, content];
  };

  it("is told from what follows it", () => {
    assert.deepEqual(parse("<think>so</think>Hi"), ["so", "Hi"]);
    assert.deepEqual(parse("Hi"), ["", "Hi"]);
  });

  it("is held back where it may be a tag", () => {
    assert.deepEqual(parse("<thi"), ["", ""]);
    assert.deepEqual(parse("<think>so</th"), ["so", ""]);
    assert.deepEqual(parse("<think>so</then"), ["so</then", ""]);
  });

  it("is nothing where it is only space", () => {
    assert.deepEqual(parse("<think>\n \n</think>Hi"), ["", "Hi"]);
  });
});

const calling = grammar({
  root: sequence("content", "call?"),
  content: tag("content", "untilCall"),
  untilCall: until("<call>"),
  "call?": optional("call"),
  call: sequence("open", "name", "argument", "close"),
  open: atomic("openTag"),
  openTag: tag("tool-open", "openText"),
  openText: literal("<call>"),
  name: atomic("nameTag"),
  nameTag: tag("tool-name", "word"),
  word: { type: "chars", ranges: [{ start: 97, end: 122 }], negated: false, min_count: 1, max_count: -1 },
  argument: sequence("colon", "argumentName", "equals", "argumentValue", "argumentEnd"),
  colon: literal(":"),
  argumentName: atomic("argumentNameTag"),
  argumentNameTag: tag("tool-arg-name", "word"),
  equals: literal("="),
  argumentValue: tag("tool-arg-string-value", "untilEnd"),
  untilEnd: until(";"),
  argumentEnd: atomic("argumentEndTag"),
  argumentEndTag: tag("tool-arg-close", "semicolon"),
  semicolon: literal(";"),
  close: atomic("closeTag"),
  closeTag: tag("tool-close", "closeText"),
  closeText: literal("</call>"),
});

describe("tool calls", () => {
  const parser = new MessageParser(calling, "");

  it("become JSON whatever the model writes", () => {
    assert.deepEqual(parser.parse('Well.<call>weather:city=the "big" one;</call>'), {
      content: "Well.",
      reasoning: "",
      calls: [{ id: "", name: "weather", arguments: '{"city":"the \\"big\\" one"}' }],
    });
  });

  it("grow while they are written", () => {
    const seen = ["<call>", "<call>weather:", "<call>weather:city=Ro", "<call>weather:city=Rome;"].map(
      (text) => parser.parse(text).calls[0]?.arguments,
    );
    assert.deepEqual(seen, [undefined, "", '{"city":"Ro', '{"city":"Rome"']);
  });

  it("are content where they are broken", () => {
    assert.equal(parser.parse("<call>!").content, "");
    assert.deepEqual(parser.parse("<call>!").calls, []);
  });
});

it("takes text as it is without a parser, with one that cannot be read, and with one that never ends", () => {
  assert.equal(new MessageParser("", "").parse("a").content, "a");
  assert.equal(new MessageParser("{", "").parse("a").content, "a");
  const endless = grammar({ root: sequence("root") });
  assert.equal(new MessageParser(endless, "").parse("a").content, "a");
});
