import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { trivium } from "./running.ts";

const folder = mkdtempSync(join(tmpdir(), "trivium-hostile-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

const esc = "\\e]52;c;cm0=\\a\\e[2J\\r";
const service = `apiVersion: ome.io/v1beta1
kind: InferenceService
metadata: { name: "a${esc}", annotations: { note: "v${esc}" } }
spec: { model: { name: "m${esc}" }, engine: { minReplicas: 1 } }
`;
const map = `apiVersion: v1
kind: ConfigMap
metadata: { name: fine, namespace: default }
data: { text: "v${esc}" }
`;
const path = join(folder, "all.yaml");
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the point
const obeyed = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;

for (const [title, text, args] of [
  ["a name that plan refuses", service, ["plan", "--facts", join(folder, "known.yaml"), "-f", path]],
  [
    "a kind that plan does not know",
    `apiVersion: v1\nkind: "X${esc}"\nmetadata: {name: a}`,
    ["plan", "--facts", join(folder, "known.yaml"), "-f", path],
  ],
  ["a value in the difference of a plan", map, ["plan", "--facts", join(folder, "known.yaml"), "-f", path]],
  ["a name that convert refuses", service, ["convert", "--to", "llmkube", "-f", path]],
] as const)
  test(`a terminal does not obey ${title}`, async () => {
    writeFileSync(join(folder, "known.yaml"), map.replace(esc, ""));
    writeFileSync(path, text);
    const run = trivium(args);
    await run.ended;
    const shown = run.output() + run.errors();
    assert.match(shown, /52;c;cm0=/, "it is shown");
    assert.doesNotMatch(shown, obeyed);
  });
