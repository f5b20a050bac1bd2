import assert from "node:assert/strict";
import { test } from "node:test";
import { dialects } from "./dialects.ts";
import { referenceFiles } from "./generate-reference.ts";

const files = referenceFiles(dialects);

test("every kind has its page, and the index leads to it", () => {
  const index = files.get("docs/reference/README.md") ?? "";
  for (const { name, kinds } of dialects) {
    for (const kind of kinds) {
      assert.ok(files.has(`docs/reference/${name}/${kind.singular}.md`), kind.kind);
      assert.ok(index.includes(`[${kind.kind}](${name}/${kind.singular}.md)`), kind.kind);
    }
  }
});

test("types of Kubernetes are named and linked, not repeated", () => {
  const page = files.get("docs/reference/llmkube/inferenceservice.md") ?? "";
  assert.match(
    page,
    /`spec\.tolerations` \| list of \[Toleration\]\(https:\/\/kubernetes\.io\/[^)]*#toleration-v1-core\)/,
  );
  assert.doesNotMatch(page, /spec\.tolerations\[\]/);
  assert.match(page, /`spec\.probeOverrides\.startup` \| \[Probe\]/);
  assert.doesNotMatch(page, /spec\.probeOverrides\.startup\./);
});

test("every row of every table has all its cells", () => {
  for (const [path, text] of files) {
    for (const table of text.split("\n\n").filter((block) => block.startsWith("|"))) {
      const widths = table
        .trim()
        .split("\n")
        .map((line) => line.split(/(?<!\\)\|/).length);
      assert.equal(new Set(widths).size, 1, `${path}: ${table.split("\n")[0]}`);
    }
  }
});

test("every field of a kind of ours has a meaning", () => {
  for (const page of ["llmkube/model", "llmkube/inferenceservice"]) {
    const rows = (files.get(`docs/reference/${page}.md`) ?? "")
      .split("\n")
      .filter((line) => /^\| `(spec|status)\./.test(line));
    assert.ok(rows.length > 40);
    for (const row of rows) assert.doesNotMatch(row, /\| {2}\|$/, row);
  }
});
