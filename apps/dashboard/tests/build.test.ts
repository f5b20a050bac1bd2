import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { build } from "vite";
import config from "../vite.config.ts";

const folder = mkdtempSync(join(tmpdir(), "trivium-dashboard-"));
const read = (path: string): string => readFileSync(join(folder, path), "utf8");
const scripts = (): string[] => readdirSync(join(folder, "assets")).filter((name) => name.endsWith(".js"));

before(() => build({ ...config, configFile: false, logLevel: "error", build: { ...config.build, outDir: folder } }));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Files that a browser has read before the first page is complete: those of the page, and all that they import. */
function firstLoad(): string[] {
  const html = read("index.html");
  const named = [...html.matchAll(/(?:src|href)="\.\/([^"]+)"/g)].flatMap(([, path]) => path ?? []);
  const files = new Set(named);
  for (const file of files) {
    if (!file.endsWith(".js")) continue;
    for (const [, path] of read(file).matchAll(/(?:\bfrom|\bimport)\s*"\.\/([^"]+\.js)"/g)) files.add(`assets/${path}`);
  }
  return ["index.html", ...files];
}

test("the first load has at most 150 KB compressed", () => {
  const files = firstLoad();
  assert.ok(files.filter((file) => file.endsWith(".js")).length >= 2, files.join(" "));
  const bytes = files.reduce((sum, file) => sum + gzipSync(readFileSync(join(folder, file))).length, 0);
  assert.ok(bytes < 150_000, `${bytes} bytes in ${files.join(", ")}`);
});

test("the first load has no code that evaluates rules of schemas; what decides has it", () => {
  const evaluates = (path: string): boolean => read(path).includes("no such overload");
  assert.ok(scripts().some((name) => evaluates(`assets/${name}`)));
  assert.deepEqual(firstLoad().filter(evaluates), []);
});

test("the page has no inline script or style and nothing from another server", () => {
  const html = read("index.html");
  assert.ok(!/<script(?![^>]*\ssrc=)/.test(html), html);
  assert.ok(!/<style|\sstyle=|\son\w+=/.test(html), html);
  assert.ok(!/(?:src|href)="(?!\.\/)/.test(html), html);
  for (const name of readdirSync(join(folder, "assets")).filter((one) => one.endsWith(".css")))
    assert.ok(!/url\((?!["']?data:)|@import/.test(read(`assets/${name}`)), name);
});

test("what runs in the browser needs nothing of Node", () => {
  assert.ok(scripts().length >= 4);
  for (const name of scripts()) {
    const text = read(`assets/${name}`);
    assert.ok(!/\bfrom\s*"node:|import\("node:|__vite-browser-external/.test(text), name);
    assert.ok(!/\beval\(|new Function\(/.test(text), `${name} evaluates text, which the page's policy refuses`);
  }
});
