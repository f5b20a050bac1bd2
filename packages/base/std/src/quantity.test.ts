import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  addQuantity,
  compareQuantity,
  formatQuantity,
  parseQuantity,
  type Quantity,
  quantityToInteger,
  quantityToNumber,
  subtractQuantity,
} from "./quantity.ts";

const q = (text: string | number): Quantity => {
  const quantity = parseQuantity(text);
  assert.ok(quantity, `${text} is a quantity`);
  return quantity;
};

/** Each row was sent to a kube-apiserver 1.36 and read back. */
const canonical: readonly (readonly [string, string])[] = [
  ["1", "1"],
  ["+5", "+5"],
  ["1.500", "1.500"],
  ["0.5", "500m"],
  [".5", "500m"],
  ["1500m", "1500m"],
  ["1.5", "1500m"],
  ["1024Mi", "1Gi"],
  ["1.5Gi", "1536Mi"],
  ["2048Ki", "2Mi"],
  ["1000Ki", "1000Ki"],
  ["0.1Ki", "102400m"],
  ["1.5Ki", "1536"],
  ["1e3", "1e3"],
  ["1E6", "1E6"],
  ["1e-3", "1e-3"],
  ["1.", "1."],
  ["00012", "00012"],
  ["1.G", "1.G"],
  ["9007199254740993", "9007199254740993"],
  ["99999999999999999999Ki", "9223372036854775807"],
  ["8Ei", "9223372036854775807"],
  ["1e21", "1e21"],
  ["12345678901234567890", "12345678901234567890"],
  ["1000", "1k"],
  ["1000000", "1M"],
  ["100000000", "100M"],
  ["1000k", "1M"],
  ["1025", "1025"],
  ["1e1", "10"],
  ["1e4", "10e3"],
  ["1500e-3", "1500e-3"],
  ["-5", "-5"],
  ["-0.5Gi", "-512Mi"],
  ["0", "0"],
  ["0Gi", "0"],
  ["-0", "0"],
  ["+0.0m", "0"],
  ["1e1000", "10e999"],
  ["1E", "1E"],
  ["1.25E", "1250P"],
  ["1000Gi", "1000Gi"],
  ["1.0Ki", "1Ki"],
  ["5e0", "5e0"],
];

test("canonical forms are those of the real server", () => {
  for (const [text, wanted] of canonical) assert.equal(formatQuantity(q(text)), wanted, text);
});

test("what is finer than a billionth is rounded up, never to nothing", () => {
  assert.equal(formatQuantity(q("0.1n")), "1n");
  assert.equal(formatQuantity(q("-0.1n")), "-1n");
  assert.equal(formatQuantity(q("1.23456789012")), "1234567891n");
  assert.equal(formatQuantity(q("0.000001Ki")), "1024u");
});

test("an amount above every suffix keeps its value", () => {
  assert.equal(compareQuantity(q(formatQuantity(q("10000E"))), q("10000E")), 0);
});

test("what is no quantity is refused", () => {
  const wrong = [
    "",
    "abc",
    "1_0",
    "1KI",
    "1i",
    "1e",
    "1e3m",
    " 1",
    "1 ",
    "1Gi ",
    "--1",
    "+-1",
    ".",
    "+",
    "Gi",
    "1.2.3",
  ];
  for (const text of [...wrong, "1ki", "1gb", "1,5", "0x10", "Infinity", "1e2147483647", "9".repeat(300)]) {
    assert.equal(parseQuantity(text), undefined, text);
  }
  assert.equal(parseQuantity(Number.NaN), undefined);
});

test("arithmetic is exact and keeps the first format", () => {
  assert.equal(formatQuantity(addQuantity(q("1Gi"), q("1"))), "1073741825");
  assert.equal(formatQuantity(addQuantity(q("512Mi"), q("512Mi"))), "1Gi");
  assert.equal(formatQuantity(addQuantity(q("0"), q("1Gi"))), "1Gi");
  assert.equal(formatQuantity(addQuantity(q("0.1"), q("0.2"))), "300m");
  assert.equal(formatQuantity(subtractQuantity(q("1"), q("250m"))), "750m");
  assert.equal(compareQuantity(q("1Gi"), q("1G")), 1);
  assert.equal(compareQuantity(q("1000m"), q("1")), 0);
  assert.equal(quantityToNumber(q("1.5Gi")), 1610612736);
  assert.equal(quantityToNumber(q("100m")), 0.1);
  assert.equal(quantityToInteger(q("1.5")), undefined);
  assert.equal(quantityToInteger(q("9223372036854775807")), 2n ** 63n - 1n);
  assert.equal(formatQuantity(q(1e21)), "1e+21");
  assert.equal(formatQuantity(q(0.25)), "250m");
});

const anyQuantity = fc
  .tuple(
    fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n }),
    fc.integer({ min: 0, max: 6 }),
    fc.constantFrom("", "n", "u", "m", "k", "M", "G", "T", "Ki", "Mi", "Gi", "e3", "E-2"),
  )
  .map(([digits, point, suffix]) => {
    const text = String(digits < 0n ? -digits : digits).padStart(point + 1, "0");
    const fraction = point === 0 ? "" : `.${text.slice(-point)}`;
    return `${digits < 0n ? "-" : ""}${text.slice(0, text.length - point)}${fraction}${suffix}`;
  });

test("the canonical form names the same amount, and is its own canonical form", () => {
  fc.assert(
    fc.property(anyQuantity, (text) => {
      const first = q(text);
      const { text: _, ...bare } = first;
      const again = q(formatQuantity(bare));
      assert.equal(compareQuantity(first, again), 0);
      assert.equal(formatQuantity(again), formatQuantity(bare));
    }),
  );
});

test("addition commutes in amount, and comparison agrees with subtraction", () => {
  fc.assert(
    fc.property(anyQuantity, anyQuantity, (a, b) => {
      assert.equal(compareQuantity(addQuantity(q(a), q(b)), addQuantity(q(b), q(a))), 0);
      const difference = subtractQuantity(q(a), q(b)).unscaled;
      assert.equal(compareQuantity(q(a), q(b)), difference < 0n ? -1 : difference > 0n ? 1 : 0);
    }),
  );
});
