import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const root = join(import.meta.dirname, "../../../..");
const page = readFileSync(join(root, "docs/dialects/ome.md"), "utf8");

/** The acceptance list of this API: how many rows each part of it has. */
const parts = { R: 34, M: 26, C: 23, A: 27, W: 23, B: 11 };
const ids = Object.entries(parts).flatMap(([part, count]) =>
  Array.from({ length: count }, (_, i) => `${part}${i + 1}`),
);
const rows = [...page.matchAll(/^\| ([RMCAWB]\d+) \| (.*) \| (.*) \|$/gm)].map(([, id = "", , cover = ""]) => ({
  id,
  cover,
}));

test("every row of the acceptance list is accounted for, once and in order", () => {
  assert.deepEqual(
    rows.map(({ id }) => id),
    ids,
  );
});

test("every row names what covers it, or says why nothing does", () => {
  const silent = rows.filter(({ cover }) => namesIn(cover).length === 0 && !/^no: \w+/.test(cover));
  assert.deepEqual(silent, []);
});

test("everything that is named exists", () => {
  const missing = rows.flatMap(({ cover }) => namesIn(cover)).filter((name) => !existsSync(join(root, placeOf(name))));
  assert.deepEqual(missing, []);
});

/** What looks like a place, and cases of benchmarks by their bare names; other things in code style are words of the API. */
const namesIn = (cover: string): string[] => [
  ...[...cover.matchAll(/`((?:model|service|dialects|platform|core|cli)\/[^`]+)`/g)].map(([, name]) => name ?? ""),
  ...[...cover.matchAll(/\b(b\d\d-[a-z0-9-]+)/g)].map(([, name]) => `benchmark/${name}`),
];

const caseFolders = { model: "model", service: "inference-service", benchmark: "benchmark-job" } as const;

function placeOf(name: string): string {
  const [room = "", ...rest] = name.split("/");
  const folder = Object.hasOwn(caseFolders, room) ? caseFolders[room as keyof typeof caseFolders] : undefined;
  if (folder !== undefined) return `packages/dialects/ome/src/${folder}/cases/${rest.join("/")}.yaml`;
  return room === "cli" ? `apps/${name}` : `packages/${name}`;
}
