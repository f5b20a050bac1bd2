import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { explainLoss, type SelectionRules, select } from "./index.ts";

interface Boat {
  readonly name: string;
  readonly seats: number;
  readonly colour?: string;
  readonly wood?: string;
}
const rules: SelectionRules<Boat> = {
  nameOf: ({ name }) => name,
  gates: [
    {
      name: "seats",
      check: ({ seats }) =>
        seats >= 2 ? undefined : { reason: "TooSmall", observed: `${seats}`, wanted: "at least 2" },
    },
    {
      name: "colour",
      check: ({ colour }) =>
        colour === "pink" ? { reason: "Ugly", observed: colour, wanted: "any other" } : undefined,
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
