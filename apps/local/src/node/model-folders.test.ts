import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { HubServer } from "@trivium/testkit";
import { ArtifactManager, Store } from "@trivium/weights";
import { findModelFolder, type ModelFolders } from "./model-folders.ts";

let home: string;
describe("the folder of a model", () => {
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "model-folders-"));
    mkdirSync(join(home, "data"));
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  const find = (path: string, use: "filled" | "read" = "filled") => {
    const storeFolder = join(home, "weights");
    const folders: ModelFolders = {
      roots: [
        { path: "/raid/models", realPath: join(home, "model-roots/raid/models") },
        { path: "/mnt/data/models", realPath: join(home, "models") },
      ],
      shared: [{ path: join(home, "data") }],
      readable: [{ path: "/trivium/models", realPath: join(home, "bundled") }],
      remedyOf: (folder) => `Allow ${folder}`,
    };
    return findModelFolder(path, use, { folders, store: new Store(storeFolder), storeFolder });
  };

  test("every root stands for a folder of the home", async () => {
    assert.equal(await find("/raid/models/org/m"), join(home, "model-roots/raid/models/org/m"));
    assert.equal(await find("/mnt/data/models/m/"), join(home, "models/m"));
    assert.equal(await find("/trivium/models/m", "read"), join(home, "bundled/m"));
  });

  test("a path outside is refused with the folders there are and what to do", async () => {
    const message =
      /^storage.path \/other\/models\/org\/m is not in an allowed folder of this node \(allowed: \/raid\/models, \/mnt\/data\/models, .*\/data\); Allow \/other\/models$/;
    await assert.rejects(find("/other/models/org/m"), { message });
    await assert.rejects(find("/other/m"), /Allow \/other$/);
    await assert.rejects(find("/m"), /Allow \/m$/);
    for (const path of ["/raid/models2/m", "/raid/models/../x/m", "/trivium/models/m"])
      await assert.rejects(find(path), /is not in an allowed folder/, path);
  });

  test("a file to be read that lies outside is refused with the sentence of every API", async () => {
    const message =
      /^\/etc\/passwd is not in an allowed directory for file:\/\/ sources \(allowed: \/raid\/models, .*\); move it, or allow its directory \(.*folders in trivium.yaml\)$/;
    await assert.rejects(find("/etc/passwd", "read"), { message });
  });

  test("neither a root itself nor the agent's own files are a model", async () => {
    for (const path of ["/raid/models", "/raid/models/", "/raid/models/org/.."])
      await assert.rejects(find(path), /is the root of all models; use a folder below it/, path);
    await assert.rejects(find(join(home, "data")), /is the root of all models/);
    mkdirSync(join(home, "weights"), { recursive: true });
    symlinkSync(join(home, "weights"), join(home, "data", "link"));
    await assert.rejects(find(join(home, "data", "link", "m")));
  });

  test("files of the user's are read, and neither mixed with others nor removed", async () => {
    const own = join(home, "data/own");
    assert.equal(await find(own), own);
    mkdirSync(own);
    assert.equal(await find(own), own, "an empty folder is free");
    writeFileSync(join(own, "thesis.txt"), "dear");
    await assert.rejects(find(own), /contains other files; serve them with storageUri local:/);
    await assert.rejects(find(join(home, "data/own/thesis.txt/m")));
    assert.equal(await find(own, "read"), own);
    assert.ok(existsSync(join(own, "thesis.txt")));
  });

  test("what was fetched to a folder of the user's is known again", async (t) => {
    const hub = await new HubServer().listen();
    t.after(() => hub.close());
    hub.files.set("config.json", { content: Buffer.from("{}"), isLarge: false });
    const store = new Store(join(home, "weights"));
    const path = join(home, "data/org/m");
    const states: string[] = [];
    const gone: string[] = [];
    const manager = new ArtifactManager({
      store,
      records: join(home, "weights/holdings.json"),
      environment: { HF_ENDPOINT: hub.endpoint, HOME: home },
      addresses: "any",
      folderOf: find,
      secretsOf: async () => ({}),
      onReport: ({ is }) => void states.push(is),
      onGone: (key) => void gone.push(key),
      onError: (what, error) => assert.fail(`${what}: ${error}`),
      now: Date.now,
      schedule: () => () => {},
    });
    t.after(() => manager.stop());
    const source = { is: "fetched", uri: "hf://org/repo" } as const;
    manager.want([{ key: "m", source, path, settings: {}, reading: "nothing", afterwards: "remove" }]);
    await manager.settled();
    assert.equal(states.at(-1), "ready");
    assert.equal(await find(path), path);
    manager.want([]);
    await manager.settled();
    assert.deepEqual([gone, existsSync(path)], [["m"], false]);
  });
});
