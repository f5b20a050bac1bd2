import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { it } from "node:test";
import { builtInResources } from "../../src/built-in/index.ts";
import { serveHttps, storeCheck } from "../../src/http/index.ts";
import { createApi } from "../../src/server.ts";
import { layOut } from "../../src/store/format.ts";
import { Journal, readContents } from "../../src/store/journal.ts";
import { LogStore } from "../../src/store/log-store.ts";
import { clientOf } from "./client.ts";
import { identity } from "./serving.ts";
import { configMap, configMaps } from "./whole-server.ts";

it("a server on a full disk says so at /readyz, and is ready again when there is room, without a write", async () => {
  const database = new DatabaseSync(":memory:");
  layOut(database);
  let now = Date.parse("2030-01-01T00:00:00Z");
  const store = new LogStore(
    { journal: new Journal(database), contents: readContents(database) },
    { clock: () => now, report: () => {} },
  );
  const api = createApi({ store, resources: builtInResources() });
  await api.ready;
  await api.idle();
  const server = await serveHttps(api, { identity, checks: [storeCheck(store)] });
  try {
    const { ask } = clientOf(server, identity);
    const create = (name: string, size: number) =>
      ask(configMaps, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(configMap(name, { data: { filler: "x".repeat(size) } })),
      });
    assert.equal((await create("before", 10)).status, 201);
    assert.equal((await ask("/readyz")).body, "ok");

    // What SQLite says of a full disk.
    const { page_count: pages } = database.prepare("PRAGMA page_count").get() as { page_count: number };
    database.exec(`PRAGMA max_page_count = ${pages}; PRAGMA query_only = ON`);
    const refused = await create("during", 100_000);
    assert.equal(refused.status, 500);
    assert.match(JSON.parse(refused.body).message, /cannot write to the store: .*; check free space and permissions/);
    const unready = await ask("/readyz");
    assert.equal(unready.status, 500);
    assert.match(
      unready.body,
      /^\[\+\]ping ok\n\[-\]store failed: cannot write to the store: .+\nreadyz check failed\n$/,
    );
    assert.equal((await ask("/livez")).body, "ok", "a restart would not help");
    assert.equal((await ask(`${configMaps}/before`)).status, 200, "reading goes on");
    now += 2000;
    assert.equal((await ask("/readyz")).status, 500, "tried again, and still full");

    database.exec("PRAGMA query_only = OFF; PRAGMA max_page_count = 1000000");
    now += 2000;
    assert.equal((await ask("/readyz")).body, "ok");
    assert.equal((await create("after", 100_000)).status, 201);
    assert.equal((await ask(`${configMaps}/during`)).status, 404);
  } finally {
    await server.close();
    await api.close();
    await store.close();
  }
});
