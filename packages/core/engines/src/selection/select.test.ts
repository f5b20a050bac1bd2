import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { explainLoss, namedChoice, type SelectionRules, select, summarizeSelection } from "./index.ts";

interface Boat {
  readonly name: string;
  readonly seats: number;
  readonly colour?: string;
  readonly wood?: string;
}
const rules: SelectionRules<Boat> = {
  of: "boat",
  nameOf: ({ name }) => name,
  gates: [
    {
      name: "seats",
      check: ({ seats }) =>
        seats >= 2 ? undefined : { reason: "TooSmall", actual: `${seats}`, required: "at least 2" },
    },
    {
      name: "colour",
      check: ({ colour }) =>
        colour === "pink" ? { reason: "Ugly", actual: colour, required: "any other" } : undefined,
    },
  ],
  ranks: [
    { name: "colour", order: ["red", "blue"], read: ({ colour }) => colour },
    { name: "wood", order: ["oak", "pine"], read: ({ wood }) => wood },
  ],
};
const red = { name: "red", seats: 2, colour: "RED", wood: "pine" };
const oak = { name: "oak", seats: 4, colour: "blue", wood: "oak" };
const pink = { name: "pink", seats: 1, colour: "pink" };

test("the first rank on which two differ decides, whatever the later ones say", () => {
  const found = select([oak, pink, red], rules);
  assert.equal(found.is === "chosen" && found.best.name, "red");
  assert.deepEqual(
    found.judged.map((one) => [one.name, explainLoss(one)]),
    [
      ["oak", "colour: blue is ranked below RED"],
      ["pink", "seats: requires at least 2, found 1; colour: requires any other, found pink"],
      ["red", undefined],
    ],
  );
});

test("what no order knows comes last, and equal ones are nobody's choice", () => {
  const unknown = { name: "green", seats: 2, colour: "green" };
  const bare = { name: "bare", seats: 2 };
  const blue = select([unknown, oak], rules);
  assert.equal(blue.is === "chosen" && blue.best.name, "oak");
  const tied = select([unknown, bare], rules);
  assert.deepEqual(tied.is === "tied" && tied.best.map(({ name }) => name), ["bare", "green"]);
  assert.deepEqual(select([pink], rules).is, "none");
  assert.deepEqual(select([], rules), { is: "none", judged: [] });
});

test("names that objects have by themselves are no places", () => {
  const odd = select([{ name: "odd", seats: 2, colour: "constructor" }, oak], rules);
  assert.equal(odd.is === "chosen" && odd.best.name, "oak");
});

test("the order of candidates does not matter, and all of them are judged", () => {
  const boat = fc.record({
    name: fc.string({ minLength: 1, maxLength: 4 }),
    seats: fc.nat(4),
    colour: fc.constantFrom("red", "blue", "pink", "green"),
    wood: fc.constantFrom("oak", "pine", "ash"),
  });
  const boats = fc.uniqueArray(boat, { selector: ({ name }) => name, maxLength: 20 });
  fc.assert(
    fc.property(boats, (all) => {
      const found = select(all, rules);
      assert.deepEqual(select(all.toReversed(), rules), found);
      assert.equal(found.judged.length, all.length);
      if (found.is !== "chosen") return;
      for (const one of found.judged) assert.equal(explainLoss(one) === undefined, one.name === found.best.name);
    }),
  );
});

interface Runtime {
  readonly name: string;
  readonly scope: "namespace" | "cluster";
  readonly score: number;
  readonly isDisabled?: true;
  readonly format?: "onnx";
}
const runtimeRules = (more: Partial<SelectionRules<Runtime>> = {}): SelectionRules<Runtime> => ({
  of: "runtime",
  nameOf: ({ name }) => name,
  show: ({ name, scope }) => ({ name, scope }),
  gates: [
    {
      name: "enabled",
      check: ({ isDisabled }) =>
        isDisabled ? { reason: "Disabled", actual: "disabled", required: "enabled" } : undefined,
      change: ({ name }) => `set spec.disabled: false of ${name}`,
    },
    {
      name: "format",
      check: ({ format }) => (format === "onnx" ? { reason: "Format", actual: "onnx", required: "gguf" } : undefined),
    },
  ],
  ranks: [
    { name: "scope", order: ["namespace", "cluster"], read: ({ scope }) => scope },
    { name: "score", best: "highest", value: ({ score }) => score },
  ],
  ties: "first",
  ...more,
});
const small = { name: "small", scope: "cluster", score: 2 } as const;
const large = { name: "large", scope: "cluster", score: 10 } as const;
const twin = { name: "twin", scope: "cluster", score: 10 } as const;

test("numbers rank by value, and a name decides between equals where the rules say so", () => {
  const rules = runtimeRules();
  const choice = summarizeSelection(select([twin, small, large], rules), rules);
  assert.equal(choice.chosen, "large");
  assert.equal(choice.because, "the best of 3 compatible");
  assert.deepEqual(choice.candidates, [
    { name: "large", scope: "cluster", is: "chosen", failed: [] },
    { name: "small", scope: "cluster", is: "outranked", failed: [], lost: { rank: "score", actual: "2", best: "10" } },
    {
      name: "twin",
      scope: "cluster",
      is: "outranked",
      failed: [],
      lost: { rank: "name", actual: "twin", best: "large" },
    },
  ]);
});

test("the one in use stays while it passes, and the better one is named", () => {
  const kept = runtimeRules({ current: "small" });
  const choice = summarizeSelection(select([small, large], kept), kept);
  assert.equal(choice.chosen, "small");
  assert.equal(choice.because, "already in use; a new service would use large");
  assert.deepEqual(choice.candidates[0]?.lost, { rank: "in use", actual: "not in use", best: "in use" });
  const gone = select<Runtime>([{ ...small, isDisabled: true }, large], kept);
  assert.equal(gone.is === "chosen" && gone.best.name, "large");
});

test("a rejected candidate names the smallest change that would make it pass", () => {
  const rules = runtimeRules();
  const off = { ...large, name: "off", isDisabled: true } as const;
  const other = { ...large, name: "other", isDisabled: true, format: "onnx" } as const;
  const choice = summarizeSelection(select([off, other], rules), rules);
  assert.equal(choice.because, "none of 2 is compatible");
  assert.deepEqual(
    choice.candidates.map(({ name, is, failed, change }) => [name, is, failed.map(({ gate }) => gate), change]),
    [
      ["off", "rejected", ["enabled"], "set spec.disabled: false of off"],
      ["other", "rejected", ["enabled", "format"], undefined],
    ],
  );
});

test("what was chosen by name has no other candidates", () => {
  assert.deepEqual(namedChoice("runtime", "sglang", "spec.runtime"), {
    of: "runtime",
    chosen: "sglang",
    because: "set in spec.runtime",
    candidates: [{ name: "sglang", is: "chosen", failed: [] }],
  });
});

test("a choice is the same data before and after it is in use", () => {
  const first: SelectionRules<Boat> = { ...rules, ties: "first" };
  const boats = ["a", "b", "c"].map((name) => ({ ...oak, name }));
  const before = summarizeSelection(select(boats, first), first);
  const inUse = { ...first, current: "a" };
  assert.deepEqual(summarizeSelection(select(boats, inUse), inUse), before);
});
