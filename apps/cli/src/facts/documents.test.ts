import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { Refusal } from "@trivium/std";
import { readDocuments } from "./documents.ts";
import { readFacts } from "./file.ts";

const folder = mkdtempSync(join(tmpdir(), "trivium-documents-"));
after(() => rmSync(folder, { recursive: true }));

const model = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: first}\n---\n";

function refusalOf(text: string): string {
  const path = join(folder, "objects.yaml");
  writeFileSync(path, text);
  const messages = [readDocuments, (file: string) => readFacts(file, 0)].map((read) => messageOf(() => read(path)));
  assert.equal(messages[0], messages[1], "saved facts are read with the same care");
  return messages[0]?.replace(folder, "") ?? "";
}

function messageOf(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    assert.ok(error instanceof Refusal, String(error));
    return error.message;
  }
  return assert.fail("it was read");
}

const bomb = Array.from({ length: 10 }, (_, level) => {
  const item = level === 0 ? "lol" : `*a${level - 1}`;
  return `a${level}: &a${level} [${Array(10).fill(item).join(", ")}]\n`;
}).join("");

const hostile: Readonly<Record<string, readonly [text: string, message: RegExp]>> = {
  "aliases that expand without end": [
    bomb,
    /^\/objects\.yaml: document 2 is not valid YAML: Excessive alias count .*; replace its aliases with the values$/,
  ],
  "an alias without an anchor": [
    "a: *b",
    /^\/objects\.yaml: document 2 is not valid YAML: Unresolved alias .*; replace/,
  ],
  "a merge of what is not a map": ["a: &a 1\n<<: *a", /^\/objects\.yaml: document 2 is not valid YAML: Merge sources/],
  "a document that contains itself": [
    "&a\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata: *a",
    /^\/objects\.yaml: document 2 has an alias to a value that contains the alias; replace it with a value$/,
  ],
  "a list that contains itself": [
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata: &e [1, *e]",
    /^\/objects\.yaml: document 2 has an alias to a value that contains the alias/,
  ],
  "metadata that contains itself": [
    "apiVersion: v1\nkind: ConfigMap\nmetadata: &m {name: x, labels: *m}",
    /^\/objects\.yaml: document 2 has an alias to a value that contains the alias/,
  ],
  "an object without metadata": [
    "apiVersion: v1\nkind: ConfigMap",
    /^\/objects\.yaml: document 2: ConfigMap has no metadata; add metadata\.name$/,
  ],
  "metadata that is null": ["apiVersion: v1\nkind: ConfigMap\nmetadata: null", /document 2: ConfigMap has no metadata/],
  "metadata that is a list": ["apiVersion: v1\nkind: ConfigMap\nmetadata: []", /document 2: ConfigMap has no metadata/],
  "an item of a List without metadata": [
    "apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: Pod}]",
    /document 2: Pod has no metadata/,
  ],
  "a name that is a number": [
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: 1e999}",
    /document 2: metadata\.name of ConfigMap is not a string; put it in quotes$/,
  ],
  "a namespace that is a map": [
    "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: {}}",
    /document 2: metadata\.namespace of Pod is not a string; put it in quotes$/,
  ],
  "a key that a map has twice": [
    "apiVersion: v1\nkind: Pod\nmetadata: {name: a, name: b}",
    /document 2 is not valid YAML: Map keys must be unique at line 7, column 21$/,
  ],
  words: ["just words", /document 2 is not a Kubernetes object; add apiVersion and kind$/],
};

for (const [name, [text, message]] of Object.entries(hostile))
  test(`${name} is refused with one sentence`, () => {
    const refusal = refusalOf(model + text);
    assert.match(refusal, message);
    assert.doesNotMatch(refusal, /\n/);
  });

test("a value can be used twice by an alias", () => {
  const path = join(folder, "twice.yaml");
  writeFileSync(path, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, labels: &l {a: b}, annotations: *l}");
  assert.deepEqual(readDocuments(path)[0]?.metadata.annotations, { a: "b" });
});

test("a map of a hundred thousand keys is read", { timeout: 60_000 }, () => {
  const path = join(folder, "large.yaml");
  const keys = Array.from({ length: 100_000 }, (_, at) => `  k${at}: v\n`).join("");
  writeFileSync(path, `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: large}\ndata:\n${keys}`);
  assert.equal(Object.keys((readDocuments(path)[0] as { data?: object }).data ?? {}).length, 100_000);
});

test("saved objects need a name", () => {
  const path = join(folder, "nameless.yaml");
  writeFileSync(path, "apiVersion: v1\nkind: Pod\nmetadata: {generateName: a-}");
  assert.match(
    messageOf(() => readFacts(path, 0)),
    /document 1: Pod has no name; add metadata\.name$/,
  );
});

test("pipes and devices are refused without waiting for them", () => {
  const pipe = join(folder, "pipe");
  execFileSync("mkfifo", [pipe]);
  for (const path of [pipe, "/dev/zero"])
    assert.equal(
      messageOf(() => readDocuments(path)),
      `cannot read ${path}: it is not a regular file; use - to read standard input`,
    );
  assert.match(
    messageOf(() => readDocuments(folder)),
    /it is a folder; name a file in it$/,
  );
});
