import type { Rule, Schema } from "@trivium/schema";
import type { Json } from "@trivium/std";

const v = (rule: Rule) => ({ "x-kubernetes-validations": [rule] });
/** Rules about changes, with specs before and after. */
export const transitionSchema: Schema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        im: { type: "string", maxLength: 10, ...v({ rule: "self == oldSelf", message: "immutable" }) },
        up: { type: "integer", ...v({ rule: "self >= oldSelf" }) },
        once: {
          type: "string",
          maxLength: 10,
          ...v({ rule: "!oldSelf.hasValue() || oldSelf.value() == self", optionalOldSelf: true }),
        },
        needs: { type: "integer", ...v({ rule: "oldSelf.hasValue() || self == 1", optionalOldSelf: true }) },
        lm: {
          type: "array",
          maxItems: 5,
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["name"],
          items: {
            type: "object",
            required: ["name"],
            properties: {
              name: { type: "string", maxLength: 5 },
              x: { type: "integer", ...v({ rule: "self >= oldSelf" }) },
            },
          },
        },
        m: {
          type: "object",
          maxProperties: 5,
          additionalProperties: { type: "integer", ...v({ rule: "self >= oldSelf" }) },
        },
        o: {
          type: "object",
          properties: { a: { type: "integer" }, b: { type: "integer" } },
          ...v({
            rule: "has(self.a) == has(oldSelf.a)",
            fieldPath: ".a",
            reason: "FieldValueForbidden",
            message: "a may not come or go",
          }),
        },
      },
      ...v({ rule: "has(self.im) || !has(oldSelf.im)", message: "im may not be removed" }),
    },
  },
};
export const transitions: readonly (readonly [Json, Json])[] = [
  [{ im: "a" }, { im: "b" }],
  [{ im: "a" }, {}],
  [{}, { im: "a" }],
  [{ up: 3 }, { up: 2 }],
  [{ up: 3 }, { up: 4 }],
  [{ once: "a" }, { once: "b" }],
  [{}, { once: "q" }],
  [{}, { needs: 2 }],
  [{ needs: 1 }, { needs: 2 }],
  [
    {
      lm: [
        { name: "a", x: 3 },
        { name: "b", x: 1 },
      ],
    },
    {
      lm: [
        { name: "b", x: 0 },
        { name: "a", x: 4 },
      ],
    },
  ],
  [{ lm: [{ name: "a", x: 3 }] }, { lm: [{ name: "c", x: 0 }] }],
  [{ m: { k: 3, "a.b": 1 } }, { m: { k: 2, "a.b": 0 } }],
  [{ o: { a: 1 } }, { o: { b: 1 } }],
  [{ o: { a: 1 } }, { o: { a: 2 } }],
];
