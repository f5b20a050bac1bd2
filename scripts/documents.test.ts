import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { faultsOfDocuments } from "./documents.ts";

const sound: Record<string, string> = {
  "README.md": "See [the tour](docs/internals/tour.md#start) and [elsewhere](https://example.com/x).",
  "docs/internals/tour.md":
    "# Tour\n\n## Start\n\nBack [home](../../README.md).\n```text\n[not a link](nowhere.md)\n```",
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
  ["a broken link", { "docs/guides/x.md": "[x](gone.md)" }, "docs/guides/x.md: the link to gone.md leads nowhere"],
  [
    "a link to a heading that does not exist",
    { "docs/guides/x.md": "[x](../internals/tour.md#end)" },
    "docs/guides/x.md: the link to ../internals/tour.md#end leads nowhere",
  ],
  ["a package without a page", { "packages/base/std/README.md": undefined }, "packages/base/std: has no README.md"],
  [
    "a package page that names a file that does not exist",
    { "packages/base/std/README.md": "Read `gone.ts`, then `src/json.ts`.", "packages/base/std/src/json.ts": "" },
    "packages/base/std/README.md: no file gone.ts",
  ],
  [
    "an unlisted dependency",
    { "docs/internals/dependencies.md": "" },
    "docs/internals/dependencies.md: has no line for `left-pad`",
  ],
  [
    "a command that old Node refuses",
    { "docs/guides/x.md": "Run `node --test src/main.ts --help` or `npx node-ts x.ts`." },
    'docs/guides/x.md: "node --test src/main.ts" fails on Node 20; use npx or npm run',
  ],
  [
    "a lock file with addresses",
    { "package-lock.json": `{ "resolved": "https://example.com/x.tgz" }` },
    "package-lock.json: names download addresses; write it again with the settings of .npmrc",
  ],
  [
    "a block of commands that no test runs",
    { "docs/guides/x.md": "```sh\nkubectl get pods\n```" },
    "docs/guides/x.md:1: use bash instead of sh, which no test runs",
  ],
  [
    "a block without a language",
    { "docs/guides/x.md": "# X\n\n```\nkubectl get pods\n```" },
    "docs/guides/x.md:3: code block without a language; use bash for commands that a test runs, console or text for output",
  ],
  [
    "commands that are not run, without a reason",
    { "docs/guides/x.md": "```bash notest\nnpm start\n```" },
    "docs/guides/x.md:1: notest needs a reason: ```bash notest starts the server",
  ],
  [
    "commands on a page that no test runs",
    { "packages/base/std/README.md": "```bash\nnpm test\n```" },
    "packages/base/std/README.md:1: no test runs the commands of this page; mark the block: ```bash notest <reason>",
  ],
  [
    "a mark with a slip",
    { "README.md": "```bash noted\nnpm test\n```" },
    'README.md:1: unknown mark "noted"; use none, setup, or notest with a reason',
  ],
  [
    "a line of prose that is too wide",
    { "docs/guides/x.md": `# X\n\n| ${"a".repeat(120)} |\n\n${"word ".repeat(21)}` },
    "docs/guides/x.md:5: line of 105 characters; wrap prose at 100",
  ],
];
for (const [name, change, fault] of broken) {
  test(`found: ${name}`, () => assert.deepEqual(faultsIn({ ...sound, ...change }), [fault]));
}
