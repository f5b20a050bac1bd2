import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { PieceMaker } from "./piece-maker.ts";

describe("pieces", () => {
  it("are the tokens themselves where nothing is parsed", () => {
    assert.deepEqual(new PieceMaker(false).pieceOf({ requestId: 1, token: " fox" }), { text: " fox", tokens: 1 });
  });

  it("are what is new in content and reasoning", () => {
    const maker = new PieceMaker(true);
    assert.deepEqual(maker.pieceOf({ requestId: 1, token: "h", reasoning_content: "h" }), {
      text: "",
      tokens: 1,
      reasoning: "h",
    });
    assert.deepEqual(maker.pieceOf({ requestId: 1, token: "m", reasoning_content: "hm" }), {
      text: "",
      tokens: 1,
      reasoning: "m",
    });
    assert.deepEqual(maker.pieceOf({ requestId: 1, token: "A", reasoning_content: "hm", content: "A" }), {
      text: "A",
      tokens: 1,
    });
    assert.deepEqual(maker.pieceOf({ requestId: 1, content: "A", reasoning_content: "hm" }), { text: "", tokens: 0 });
  });

  it("do not repeat what a parser takes back and says again", () => {
    const maker = new PieceMaker(true);
    const texts = ["ab", "a", "ab", "abc"].map((content) => maker.pieceOf({ requestId: 1, token: "", content }).text);
    assert.deepEqual(texts, ["ab", "", "", "c"]);
  });

  it("give each tool call one name for good", () => {
    const maker = new PieceMaker(true);
    const call = (given: string) => [{ function: { name: "f", arguments: given } }];
    const [first] = maker.pieceOf({ requestId: 1, token: "", tool_calls: call("{") }).toolCalls!;
    const [second] = maker.pieceOf({ requestId: 1, token: "", tool_calls: call("{}") }).toolCalls!;
    assert.match(first!.id, /^call_[0-9a-f]{24}$/);
    assert.deepEqual(second, { id: first!.id, name: "f", arguments: "{}" });
  });
});
