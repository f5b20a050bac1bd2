import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { ApiRequest, ApiResponse } from "@trivium/kube";
import { loadOrCreateIdentity, type RunningServer, type ServerIdentity, serveHttps } from "../../src/http/index.ts";
import type { Limits } from "../../src/http/limits.ts";
import type { Identity } from "../../src/identity.ts";
import { clientOf } from "./client.ts";

/** A server around one function, for tests of everything that happens before and after the API itself. */
export type Answering = (request: ApiRequest, identity: Identity) => Promise<ApiResponse>;

let directory = "";
export let identity: ServerIdentity;
before(async () => {
  directory = await mkdtemp(join(tmpdir(), "trivium-https-"));
  identity = await loadOrCreateIdentity(directory);
});
after(() => rm(directory, { recursive: true, force: true }));

/** What servers said of themselves. */
export const reports: string[] = [];

export async function serving(answering: Answering, limits: Partial<Limits> = {}) {
  const api = { transport: (who: Identity) => (request: ApiRequest) => answering(request, who) };
  const server: RunningServer = await serveHttps(api, {
    identity,
    limits: { closeTime: 500, ...limits },
    tokens: (token) => (token === "robots-token" ? { user: "robot", groups: ["robots"] } : undefined),
    report: (what) => reports.push(what),
  });
  return { server, ...clientOf(server, identity), [Symbol.asyncDispose]: () => server.close() };
}

export const json = (value: unknown): ApiResponse => ({
  status: 200,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(value),
});
export const whoAmI: Answering = async (_request, who) => json(who);

/** A stream of lines that counts what was taken from it and notices its end. */
export function counting(line: string, pace = 0) {
  const state = { taken: 0, ended: false, aborted: false };
  const body = async function* (signal: AbortSignal | undefined) {
    signal?.addEventListener("abort", () => {
      state.aborted = true;
    });
    try {
      while (signal?.aborted !== true) {
        state.taken++;
        yield line;
        if (pace > 0) await sleep(pace, undefined, { signal }).catch(() => {});
      }
    } finally {
      state.ended = true;
    }
  };
  const answering: Answering = async (request) => ({ status: 200, headers: {}, body: body(request.signal) });
  return { state, answering };
}
