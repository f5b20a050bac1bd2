import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { saveFacts } from "./file.ts";

const folder = mkdtempSync(join(tmpdir(), "trivium-facts-"));
after(() => rmSync(folder, { recursive: true }));

const facts = {
  ...{ now: 0, subject: undefined, namespace: undefined, options: undefined },
  ...{ answers: [], unreadable: [], served: [], objects: [] },
};

test("saved facts are for their owner alone, also in a file that everybody could read", () => {
  const [fresh, open] = [join(folder, "fresh.yaml"), join(folder, "open.yaml")];
  writeFileSync(open, "before");
  chmodSync(open, 0o644);
  for (const path of [fresh, open]) {
    saveFacts(path, facts);
    assert.equal(statSync(path).mode & 0o777, 0o600, path);
    assert.match(readFileSync(path, "utf8"), /^apiVersion: trivium.dev\/v1\nkind: Facts\n/);
  }
});
