import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import type { Status } from "@trivium/kube";
import { type Embedded, startEmbedded } from "../kubectl/embedded.ts";
import { type Answer, type Asked, clientOf } from "./client.ts";

/** The whole server on a socket for the tests of one file. After them it must still be ready. */
export interface WholeServer {
  readonly embedded: Embedded;
  ask(path: string, asked?: Asked): Promise<Answer>;
  post(path: string, body: unknown, type?: string): Promise<Answer>;
  patch(path: string, body: unknown, type: string): Promise<Answer>;
  socket: ReturnType<typeof clientOf>["socket"];
}

export function wholeServer(prepare: (server: WholeServer) => Promise<void> = async () => {}): WholeServer {
  let folder = "";
  let embedded: Embedded;
  const client = () => clientOf(embedded.server, embedded.identity);
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "trivium-whole-"));
    embedded = await startEmbedded(folder);
    await prepare(whole);
  });
  after(async () => {
    try {
      assert.equal((await client().ask("/readyz")).body, "ok", "the server is not ready after all this");
    } finally {
      await embedded.close();
      await rm(folder, { recursive: true, force: true });
    }
  });
  const send = (method: string, path: string, value: unknown, type: string) => {
    const body = typeof value === "string" || Buffer.isBuffer(value) ? value : JSON.stringify(value);
    const headers = { "content-type": type, "content-length": String(Buffer.byteLength(body)) };
    return client().ask(path, { method, body, headers });
  };
  const whole: WholeServer = {
    get embedded() {
      return embedded;
    },
    ask: (path, asked) => client().ask(path, asked),
    post: (path, body, type = "application/json") => send("POST", path, body, type),
    patch: (path, body, type) => send("PATCH", path, body, type),
    socket: () => client().socket(),
  };
  return whole;
}

/** The Status of a refusal, which must be the server's word on what the caller did, never a fault of its own. */
export function refusalIn(answer: Answer): Status {
  const status = JSON.parse(answer.body) as Status;
  assert.equal(status.kind, "Status", answer.body.slice(0, 300));
  assert.equal(status.code, answer.status);
  assert.ok(answer.status >= 400 && answer.status < 500, answer.body.slice(0, 300));
  assert.ok((status.message ?? "") !== "", "a refusal without a message");
  return status;
}

export const configMaps = "/api/v1/namespaces/default/configmaps";
export const configMap = (name: string, more: object = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name },
  ...more,
});
