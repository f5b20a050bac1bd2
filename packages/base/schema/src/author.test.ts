import assert from "node:assert/strict";
import { test } from "node:test";
import { int32, list, obj, oneOf, opt, type Static, str } from "./author.ts";

const Spec = obj("What is wanted", {
  name: str("Its name"),
  mode: opt(oneOf("How", ["fast", "slow"], { default: "fast" })),
  sizes: opt(list("Sizes", obj("", { a: int32("A"), b: opt(str("B")) }))),
});

test("a definition is plain structural JSON, and its type is inferred", () => {
  const value: Static<typeof Spec> = { name: "x", mode: "slow", sizes: [{ a: 1 }] };
  // @ts-expect-error a literal outside the enum does not compile
  const wrong: Static<typeof Spec> = { name: "x", mode: "other" };
  // @ts-expect-error a required property cannot be left out
  const missing: Static<typeof Spec> = { mode: "fast" };
  assert.ok(value && wrong && missing);
  assert.deepEqual(JSON.parse(JSON.stringify(Spec)), {
    description: "What is wanted",
    type: "object",
    required: ["name"],
    properties: {
      name: { description: "Its name", type: "string" },
      mode: { description: "How", type: "string", enum: ["fast", "slow"], default: "fast" },
      sizes: {
        description: "Sizes",
        type: "array",
        items: {
          type: "object",
          required: ["a"],
          properties: {
            a: { description: "A", type: "integer", format: "int32" },
            b: { description: "B", type: "string" },
          },
        },
      },
    },
  });
});
