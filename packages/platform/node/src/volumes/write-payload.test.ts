import assert from "node:assert/strict";
import { lstat, mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { api, ConfigMap, Pod } from "@trivium/kube";
import { isWithin, whereItLeads } from "./inside.ts";
import { payloadOf } from "./payload.ts";
import { writePayload } from "./write-payload.ts";

async function folderFor(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "trivium-payload-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const files = (contents: Record<string, string>, mode = 0o644) =>
  new Map(Object.entries(contents).map(([path, text]) => [path, { content: Buffer.from(text), mode }]));

test("a folder shows exactly the files it was given, through one link", async (t) => {
  const folder = await folderFor(t);
  const shown = async () => (await readdir(folder)).filter((name) => !name.startsWith("..")).sort();
  assert.equal(await writePayload(folder, files({ a: "1", "d/e": "2", "d/f": "3" })), true);
  assert.deepEqual(await shown(), ["a", "d"]);
  assert.equal((await lstat(join(folder, "a"))).isSymbolicLink(), true);
  assert.equal(await writePayload(folder, files({ a: "1", "d/e": "2", "d/f": "3" })), false, "nothing to do");
  assert.equal(await writePayload(folder, files({ "d/f": "4", g: "5" })), true);
  assert.deepEqual(await shown(), ["d", "g"]);
  assert.deepEqual(await readdir(join(folder, "d")), ["f"]);
  assert.equal((await readdir(folder)).filter((name) => name.startsWith("..")).length, 2, "one folder and its link");
  assert.equal(await writePayload(folder, files({ "d/f": "4", g: "5" }, 0o400)), true, "a mode is a change too");
  assert.equal((await stat(join(folder, "g"))).mode & 0o777, 0o400);
  assert.equal(await writePayload(folder, new Map()), true);
  assert.deepEqual(await shown(), []);
});

test("whoever holds one version open sees all of it, whatever comes after", async (t) => {
  const folder = await folderFor(t);
  let observed = 0;
  let isOver = false;
  const reader = (async () => {
    while (!isOver) {
      const version = await whereItLeads(join(folder, "..data")).catch(() => "gone meanwhile");
      const pair = await Promise.all(["a", "b"].map((name) => readFile(join(version, name), "utf8"))).catch(
        () => undefined,
      );
      if (pair === undefined) continue;
      assert.equal(pair[0], pair[1]);
      observed += 1;
    }
  })();
  for (let version = 0; version < 40; version += 1)
    await writePayload(folder, files({ a: String(version), b: String(version) }));
  isOver = true;
  await reader;
  assert.ok(observed > 0);
});

test("no key and no item puts a file outside of its volume", async () => {
  const data: Record<string, string> = { good: "1" };
  const configMap: ConfigMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" }, data };
  const pod: Pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "p", namespace: "n" }, spec: { containers: [] } };
  const read = (volume: Omit<api.Volume, "name">) =>
    payloadOf(
      { name: "v", ...volume },
      {
        pod,
        place: { address: "", hostAddress: "", nodeName: "" },
        allocatable: {},
        references: { secret: async () => undefined, configMap: async () => configMap },
        tokens: { issue: () => Promise.reject(new Error("none")) },
      },
    );
  for (const path of ["../x", "a/../../x", "/etc/x", "..", ".", "", "a//b", "..data", "a\0b"]) {
    await assert.rejects(
      read({ configMap: { name: "c", items: [{ key: "good", path }] } }),
      /is not a path inside a volume/,
      path,
    );
    data[path] = "x";
    await assert.rejects(read({ configMap: { name: "c" } }), /is not a path inside a volume/, path);
    delete data[path];
  }
  assert.deepEqual(
    [...((await read({ configMap: { name: "c", items: [{ key: "good", path: "a/b" }] } }))?.files.keys() ?? [])],
    ["a/b"],
  );
});

test("inside and beside", () => {
  for (const [folder, path, is] of [
    ["/a", "/a", true],
    ["/a", "/a/b", true],
    ["/a/", "/a/b/../c", true],
    ["/a", "/a/../b", false],
    ["/a", "/ab", false],
    ["/a", "/a/..b", true],
    ["/a", "/", false],
    ["/", "/a", true],
  ] as const) {
    assert.equal(isWithin(folder, path), is, `${folder} ${path}`);
  }
});
