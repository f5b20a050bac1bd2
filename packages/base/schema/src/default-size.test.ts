import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { sizeOfDefault, sizeWithDefaults } from "./default-size.ts";
import { applyDefaults, DefaultsTooLarge } from "./defaults.ts";
import type { Schema } from "./schema.ts";

/** Each level is a list of ten whose items have the next level by default. */
function bomb(levels: number): Schema {
  if (levels === 0) return { type: "string", default: "x".repeat(10) };
  const item: Schema = { type: "object", properties: { next: bomb(levels - 1) } };
  return { type: "array", items: item, default: Array.from({ length: 10 }, () => ({})) };
}

describe("the size of defaults", () => {
  it("is that of the value that they make", () => {
    for (const levels of [0, 1, 2, 3]) {
      const schema: Schema = { type: "object", properties: { bomb: bomb(levels) } };
      const value = {};
      const expected = sizeWithDefaults(schema, {});
      applyDefaults(schema, value);
      const actual = JSON.stringify(value).length;
      assert.ok(expected >= actual && expected < actual * 1.5, `${levels}: ${expected} for ${actual}`);
    }
  });

  it("is known without building it", () => {
    assert.ok(sizeOfDefault(bomb(40)) > 1e40);
  });

  it("is limited where they are filled in", () => {
    const schema: Schema = { type: "object", properties: { bomb: bomb(8) } };
    assert.throws(() => applyDefaults(schema, {}), DefaultsTooLarge);
    const items: Schema = { type: "array", items: { type: "object", properties: { a: bomb(4) } } };
    assert.throws(
      () =>
        applyDefaults(
          items,
          Array.from({ length: 1000 }, () => ({})),
        ),
      DefaultsTooLarge,
    );
  });
});
