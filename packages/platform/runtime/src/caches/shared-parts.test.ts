import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import fc from "fast-check";
import { SharedParts } from "./shared-parts.ts";

const text = JSON.stringify({
  metadata: { name: "service-1", labels: { "app.kubernetes.io/name": "a name that repeats" } },
  spec: { args: ["--model=/models/the-same-everywhere.gguf", 7, null, true], empty: {}, list: [] },
});

test("objects stay what they are, whatever is frozen, missing or named like a prototype", () => {
  const parts = new SharedParts();
  for (let i = 0; i < 3; i += 1) {
    const object = JSON.parse(text) as object;
    parts.share(object);
    assert.deepEqual(object, JSON.parse(text));
  }
  const odd = JSON.parse(
    '{"__proto__": {"a": "longer than ten characters"}, "constructor": "longer than ten characters"}',
  );
  parts.share(odd as object);
  assert.equal(
    JSON.stringify(odd),
    '{"__proto__":{"a":"longer than ten characters"},"constructor":"longer than ten characters"}',
  );
  assert.equal(Object.getPrototypeOf(odd), Object.prototype);
  const frozen = Object.freeze({ message: "longer than ten characters" });
  parts.share(frozen);
  assert.equal(frozen.message, "longer than ten characters");
});

/** Bytes of heap that many such objects take: alone, and with what they have in common kept once. */
function heapOfMany(text: string): { readonly own: number; readonly shared: number } {
  // In a process of its own: what other tests leave behind is collected whenever it pleases.
  const script = `
    const { SharedParts } = await import(${JSON.stringify(new URL("./shared-parts.ts", import.meta.url).href)});
    const text = ${JSON.stringify(text)};
    const heapOf = (parts) => {
      gc();
      const before = process.memoryUsage().heapUsed;
      const objects = Array.from({ length: 5_000 }, (_, at) => {
        const object = JSON.parse(text.replaceAll("service-1", "service-with-a-name-of-its-own-" + at));
        parts?.share(object);
        return object;
      });
      gc();
      return process.memoryUsage().heapUsed - before + 0 * objects.length;
    };
    console.log(JSON.stringify([heapOf(undefined), heapOf(new SharedParts())]));`;
  const run = spawnSync(process.execPath, ["--expose-gc", "--input-type=module", "-e", script], { encoding: "utf8" });
  const [own = 0, shared = 0] = JSON.parse(run.stdout) as number[];
  return { own, shared };
}

test("many objects of one shape take less memory than each with parts of its own", () => {
  const { own, shared } = heapOfMany(text);
  assert.ok(shared < own * 0.5, `${shared} bytes with shared parts, ${own} without`);
});

test("texts that repeat are kept once where nothing else of a part repeats", () => {
  const message = "the same message of some length in every object, whatever its name is, and that of others";
  const { own, shared } = heapOfMany(JSON.stringify({ spec: { name: "service-1", message, container: "service-1" } }));
  assert.ok(shared < own * 0.75, `${shared} bytes with shared texts, ${own} without`);
});

test("parts that are met once cost nothing but themselves", () => {
  const nested = { a: { name: "service-1" }, b: { c: { name: "service-1" }, d: ["service-1"] } };
  const { own, shared } = heapOfMany(JSON.stringify({ ...nested, e: { ...nested, f: nested } }));
  assert.ok(shared < own * 1.1, `${shared} bytes with shared parts, ${own} without`);
});

test("equal parts of objects become one, and only equal ones", () => {
  const plain = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      fc.constantFrom("a", "1", "", "null", "true", "a longer text that repeats", "x".repeat(300)),
      fc.constantFrom(0, 1, -1, 1.5),
      fc.constantFrom(true, false, null),
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom("a", "b", "1", "a1:b"), tie("value"), { maxKeys: 3 }),
    ),
  })).value;
  fc.assert(
    fc.property(fc.array(fc.record({ spec: plain, other: plain }), { maxLength: 8 }), (values) => {
      const parts = new SharedParts();
      const shared = values.map((value) => {
        const object = JSON.parse(JSON.stringify(value)) as object;
        parts.share(object);
        return object;
      });
      assert.deepEqual(shared, JSON.parse(JSON.stringify(values)));
    }),
  );
  const parts = new SharedParts();
  const [, , one, two] = [1, 2, 3, 4].map((at) => {
    const object = {
      name: `object-${at}`,
      probe: { http: { path: "/health", port: 8080 }, period: 10 },
      list: [{ at }],
    };
    parts.share(object);
    return object;
  });
  assert.equal(one?.probe, two?.probe);
  assert.notEqual(one?.list, two?.list);
  const [large, other] = [1, 2].map(() => {
    const object = { data: Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`key-${at}`, "value"])) };
    parts.share(object);
    return object.data;
  });
  assert.notEqual(large, other, "what is long is not kept to be compared");
  assert.deepEqual(large, other);
});

test("what a new version of an object has in common with the one before is kept once", () => {
  const parts = new SharedParts();
  const object = (at: number, name: string) => ({
    metadata: { name, version: `${at}` },
    spec: { own: { name: `${name}-of-its-own` }, list: [name, { name }] },
  });
  const [first, second, other] = [object(1, "a"), object(2, "a"), object(2, "b")];
  parts.share(first);
  parts.share(second, first);
  assert.equal(second.spec, first.spec);
  assert.notEqual(second.metadata, first.metadata);
  assert.deepEqual(second, object(2, "a"));
  parts.share(other, second);
  assert.deepEqual([other, second], [object(2, "b"), object(2, "a")]);
});

test("an object that is nested deeper than the stack is kept as it is", () => {
  const depth = 100_000;
  const object = JSON.parse(`${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`) as { a: unknown };
  const inner = object.a;
  new SharedParts().share(object);
  assert.equal(object.a, inner);
});
