import assert from "node:assert/strict";
import { test } from "node:test";
import { emitCrd, groupResourceOf } from "@trivium/kube";
import { parse } from "yaml";
import { dialects } from "./dialects.ts";
import { crdFiles, sortKeys } from "./generate-crds.ts";

const files = crdFiles(dialects);

test("every kind of every dialect has a file, and the file says what its definition says", () => {
  for (const { name, kinds } of dialects) {
    for (const kind of kinds) {
      const text = files.get(`deploy/crds/${name}/${groupResourceOf(kind)}.yaml`);
      // Clients read YAML 1.1; the meaning must not depend on the version.
      for (const version of ["1.1", "1.2"] as const) {
        assert.deepEqual(parse(text ?? "", { version }), JSON.parse(JSON.stringify(emitCrd(kind))));
      }
    }
  }
  assert.equal(files.size, dialects.flatMap((dialect) => dialect.kinds).length);
});

test("no file uses anchors, which not every reader of CRDs follows", () => {
  for (const [path, text] of files) assert.doesNotMatch(text, /^\s*(- )?[\w".-]*:? ?[&*]\w+$/m, path);
});

test("keys are sorted at every depth, lists keep their order", () => {
  const sorted = sortKeys({ b: [{ d: 1, c: 2 }, "z", "a"], a: null });
  assert.equal(JSON.stringify(sorted), '{"a":null,"b":[{"c":2,"d":1},"z","a"]}');
});
