import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { it } from "node:test";
import { parseFlags } from "../flags/parse.ts";
import { settingsOf } from "../flags/settings.ts";
import { createEngineServer } from "./server.ts";

it("says that the model is being loaded as long as there is none", async () => {
  const { server: settings } = settingsOf(parseFlags(["-m", "x", "--api-key", "k"], {}));
  const { http } = createEngineServer(settings, assert.fail);
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  try {
    const loading = { error: { code: 503, message: "Loading model", type: "unavailable_error" } };
    const authorization = "Bearer k";
    for (const [path, init] of [
      ["/health", {}],
      ["/v1/models", { headers: { authorization } }],
      ["/v1/chat/completions", { method: "POST", body: "{}", headers: { authorization } }],
    ] as [string, RequestInit][]) {
      const response = await fetch(url + path, init);
      assert.equal(response.status, 503);
      assert.deepEqual(await response.json(), loading);
    }
    assert.equal((await fetch(`${url}/v1/models`)).status, 401);
    const options = await fetch(`${url}/v1/models`, { method: "OPTIONS", headers: { origin: "http://ui" } });
    assert.equal(options.headers.get("access-control-allow-origin"), "http://ui");
  } finally {
    http.closeAllConnections();
    http.close();
  }
});
