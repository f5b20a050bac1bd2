import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { SharedStrings } from "./shared-strings.ts";

const text = JSON.stringify({
  metadata: { name: "service-1", labels: { "app.kubernetes.io/name": "a name that repeats" } },
  spec: { args: ["--model=/models/the-same-everywhere.gguf", 7, null, true], empty: {}, list: [] },
});

test("objects stay what they are, whatever is frozen, missing or named like a prototype", () => {
  const strings = new SharedStrings();
  for (let i = 0; i < 3; i += 1) {
    const object = JSON.parse(text) as object;
    strings.share(object);
    assert.deepEqual(object, JSON.parse(text));
  }
  const odd = JSON.parse(
    '{"__proto__": {"a": "longer than ten characters"}, "constructor": "longer than ten characters"}',
  );
  strings.share(odd as object);
  assert.equal(
    JSON.stringify(odd),
    '{"__proto__":{"a":"longer than ten characters"},"constructor":"longer than ten characters"}',
  );
  assert.equal(Object.getPrototypeOf(odd), Object.prototype);
  const frozen = Object.freeze({ message: "longer than ten characters" });
  strings.share(frozen);
  assert.equal(frozen.message, "longer than ten characters");
});

test("many objects of one shape take less memory than each with strings of its own", () => {
  // In a process of its own: what other tests leave behind is collected whenever it pleases.
  const script = `
    const { SharedStrings } = await import(${JSON.stringify(new URL("./shared-strings.ts", import.meta.url).href)});
    const text = ${JSON.stringify(text)};
    const heapOf = (strings) => {
      gc();
      const before = process.memoryUsage().heapUsed;
      const objects = Array.from({ length: 5_000 }, (_, at) => {
        const object = JSON.parse(text.replace("service-1", "service-with-a-name-of-its-own-" + at));
        strings?.share(object);
        return object;
      });
      gc();
      return process.memoryUsage().heapUsed - before + 0 * objects.length;
    };
    console.log(JSON.stringify([heapOf(undefined), heapOf(new SharedStrings())]));`;
  const run = spawnSync(process.execPath, ["--expose-gc", "--input-type=module", "-e", script], { encoding: "utf8" });
  const [own = 0, shared = 0] = JSON.parse(run.stdout) as number[];
  assert.ok(shared < own * 0.9, `${shared} bytes with shared strings, ${own} without`);
});
