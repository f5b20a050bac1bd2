import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { StopWords } from "./stop-words.ts";

function run(words: readonly string[], pieces: readonly string[]): { shown: string; hit: string | undefined } {
  const stops = new StopWords(words);
  const shown = pieces.map((piece) => stops.push(piece)).join("") + stops.flush();
  return { shown, hit: stops.hit };
}

describe("stop words", () => {
  it("end the text where the first of them begins", () => {
    assert.deepEqual(run(["END"], ["so it goes E", "N", "D and on"]), { shown: "so it goes ", hit: "END" });
    assert.deepEqual(run(["xy", "b"], ["abxy"]), { shown: "a", hit: "b" });
    assert.deepEqual(run(["END"], ["E", "NE", "N"]), { shown: "ENEN", hit: undefined });
  });

  it("show the same however the text is cut, and never a part of a word that came", () => {
    const letters = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 40 });
    const words = fc.array(fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 1, maxLength: 4 }), {
      maxLength: 3,
    });
    fc.assert(
      fc.property(fc.array(letters, { maxLength: 8 }), words, (pieces, stops) => {
        const text = pieces.join("");
        const ends = stops.map((word) => text.indexOf(word)).filter((at) => at >= 0);
        const wanted = ends.length === 0 ? text : text.slice(0, Math.min(...ends));
        const { shown } = run(stops, pieces);
        // Cut into letters, a shorter word may be seen before a longer one that began earlier.
        assert.ok(shown === wanted || (ends.length > 1 && text.startsWith(shown) && shown.length >= wanted.length));
        if (stops.length <= 1) assert.equal(shown, wanted);
      }),
    );
  });
});
