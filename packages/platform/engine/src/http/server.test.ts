import assert from "node:assert/strict";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { describe, it } from "node:test";
import { gatewayHeader, gatewayProof } from "@trivium/std";
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
    const preflight = { method: "OPTIONS", headers: { origin: "http://localhost:3000" } };
    const options = await fetch(`${url}/v1/models`, preflight);
    assert.deepEqual(
      [options.status, options.headers.get("access-control-allow-origin")],
      [200, "http://localhost:3000"],
    );
  } finally {
    http.closeAllConnections();
    http.close();
  }
});

describe("web pages", () => {
  const token = "between the two";
  const open = async (args: readonly string[] = []) => {
    const { server: settings } = settingsOf(parseFlags(["-m", "x", ...args], {}));
    const { http } = createEngineServer(settings, assert.fail, token);
    http.listen(0, "127.0.0.1");
    await once(http, "listening");
    const { port } = http.address() as AddressInfo;
    /** Node's fetch does not let one choose the host. */
    const ask = async (headers: Record<string, string>, path = "/v1/models", method = "GET") => {
      const sent = request({ port, path, method, headers }).end();
      const [response] = (await once(sent, "response")) as [IncomingMessage];
      const { error } = JSON.parse((await text(response)) || "{}") as { error?: { message: string } };
      return { status: response.statusCode, headers: response.headers, message: error?.message ?? "" };
    };
    const close = () => {
      http.closeAllConnections();
      http.close();
    };
    return { ask, authority: `127.0.0.1:${port}`, [Symbol.dispose]: close };
  };

  it("of this machine are answered; strangers are told how to be let in", async () => {
    using server = await open();
    // There is no model yet: 503 is what is behind the guard.
    for (const host of [
      "localhost:1",
      "127.0.0.1",
      "[::1]:80",
      "10.1.2.3:8080",
      "chat",
      "chat.default.svc.cluster.local",
    ])
      assert.equal((await server.ask({ host })).status, 503, host);
    const rebound = await server.ask({ host: "evil.example" });
    assert.equal(rebound.status, 421);
    assert.match(rebound.message, /host evil\.example is not allowed; .*--allowed-hosts$/);
    for (const origin of ["https://evil.example", "null"]) {
      for (const method of ["GET", "POST", "OPTIONS"]) {
        const refused = await server.ask({ host: "localhost", origin }, "/v1/models", method);
        assert.equal(refused.status, 403);
        assert.equal(refused.headers["access-control-allow-origin"], undefined);
        assert.match(refused.message, /--cors-origins$/);
      }
    }
    // A probe comes by any name.
    assert.equal((await server.ask({ host: "evil.example" }, "/health")).status, 503);
  });

  it("are answered where the gateway has accepted them, which a proof for another server does not show", async () => {
    using server = await open();
    const page = { host: "models.example.com", origin: "https://app.example.com" };
    const ask = async (proof: string) => (await server.ask({ ...page, [gatewayHeader]: proof })).status;
    assert.equal(await ask(gatewayProof(token, server.authority)), 503);
    for (const wrong of ["guess", token, gatewayProof(token, "127.0.0.1:1"), gatewayProof("guess", server.authority)])
      assert.equal(await ask(wrong), 421, wrong);
  });

  it("are answered where they are listed", async () => {
    using server = await open(["--cors-origins", "https://app.example.com", "--allowed-hosts", "*.example.com"]);
    const { status, headers } = await server.ask({ host: "models.example.com", origin: "https://app.example.com" });
    assert.deepEqual([status, headers["access-control-allow-origin"]], [503, "https://app.example.com"]);
    assert.throws(
      () => settingsOf(parseFlags(["-m", "x", "--cors-origins", "app"], {})),
      /--cors-origins: "app" is not a valid/,
    );
  });
});
