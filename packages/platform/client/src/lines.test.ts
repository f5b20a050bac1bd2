import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { lineBatches } from "./lines.ts";

async function* pieces(parts: readonly string[]): AsyncGenerator<string> {
  yield* parts;
}

async function linesOf(source: AsyncIterable<string> | string): Promise<string[]> {
  const lines: string[] = [];
  for await (const batch of lineBatches(source)) lines.push(...batch);
  return lines;
}

test("lines are the same however the text is cut", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom("a", "\n", "ż\n", "", "long piece")), async (parts) => {
      const whole = parts.join("");
      const expected = whole.split("\n");
      if (expected.at(-1) === "") expected.pop();
      assert.deepEqual(await linesOf(pieces(parts)), expected);
      assert.deepEqual(await linesOf(whole), expected);
    }),
  );
});
