import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { faultsOfDocuments } from "./documents.ts";

const sound: Record<string, string> = {
  "README.md": "See [the tour](docs/internals/tour.md#start) and [elsewhere](https://example.com/x).",
  "docs/internals/tour.md": "Back [home](../../README.md).\n```\n[not a link](nowhere.md)\n```",
  "docs/internals/dependencies.md": "- `left-pad`: pads",
  "package.json": "{}",
  "package-lock.json": `{ "resolved": "packages/base/std" }`,
  "packages/base/std/package.json": `{ "dependencies": { "left-pad": "1.0.0", "@trivium/kube": "0.1.0" } }`,
  "packages/base/std/README.md": "Small things.",
};

function faultsIn(files: Record<string, string | undefined>): string[] {
  const root = mkdtempSync(join(tmpdir(), "documents-"));
  try {
    for (const [path, text] of Object.entries(files)) {
      if (text === undefined) continue;
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    return faultsOfDocuments(root);
  } finally {
    rmSync(root, { recursive: true });
  }
}

test("a sound project has no faults", () => assert.deepEqual(faultsIn(sound), []));

const broken: readonly (readonly [string, Record<string, string | undefined>, string])[] = [
  [
    "a broken link",
    { "docs/internals/tour.md": "[x](gone.md)" },
    "docs/internals/tour.md: the link to gone.md leads nowhere",
  ],
  ["a package without a page", { "packages/base/std/README.md": undefined }, "packages/base/std: has no README.md"],
  [
    "an unlisted dependency",
    { "docs/internals/dependencies.md": "" },
    "docs/internals/dependencies.md: has no line for `left-pad`",
  ],
  [
    "a command that old Node refuses",
    { "docs/internals/tour.md": "Run `node --test src/main.ts --help` or `npx node-ts x.ts`." },
    'docs/internals/tour.md: "node --test src/main.ts" fails on Node 20; use npx or npm run',
  ],
  [
    "a lock file with addresses",
    { "package-lock.json": `{ "resolved": "https://example.com/x.tgz" }` },
    "package-lock.json: names download addresses; write it anew with the settings of .npmrc",
  ],
];
for (const [name, change, fault] of broken) {
  test(`found: ${name}`, () => assert.deepEqual(faultsIn({ ...sound, ...change }), [fault]));
}
