import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { builtInResources, createApi, loadOrCreateIdentity, openStore, serveHttps } from "@trivium/apiserver";
import { killLeftovers } from "./operator-process.ts";
import type { ServerUnderTest } from "./server.ts";
import { openStage, type Stage } from "./stage.ts";

/** Tells something on an embedded server of its own, and clears everything away. */
export async function onEmbeddedServer(tell: (stage: Stage) => Promise<void>): Promise<void> {
  const server = await startEmbeddedServer();
  const stage = await openStage(server);
  try {
    await tell(stage);
  } finally {
    killLeftovers();
    await stage.close();
    await server.close();
  }
  assert.deepEqual(server.faults, [], "the server reported no fault of its own");
}

/** The embedded server over HTTPS, with its data on a disk. */
export async function startEmbeddedServer(): Promise<ServerUnderTest & { readonly faults: readonly unknown[] }> {
  const home = await mkdtemp(join(tmpdir(), "trivium-operator-"));
  const identity = await loadOrCreateIdentity(join(home, "identity"));
  const faults: unknown[] = [];

  const open = async (port: number) => {
    const store = await openStore({ directory: join(home, "data") });
    const log = (message: string, error?: unknown) => faults.push(message, error);
    const api = createApi({ store, resources: builtInResources(), rootCertificate: identity.authority, log });
    await api.ready;
    const server = await serveHttps(api, { identity, port, report: log });
    const close = async () => {
      await server.close();
      await api.close();
      await store.close();
    };
    return { server, close };
  };

  let running = await open(0);
  const { port, url } = running.server;
  const { cert, key } = identity.admin;
  return {
    access: { server: url, ca: identity.authority, cert, key },
    collectsGarbage: true,
    isPatient: false,
    quiet: 700,
    faults,
    async interrupt() {
      await running.close();
      return async () => {
        running = await open(port);
      };
    },
    async close() {
      await running.close();
      await rm(home, { recursive: true });
    },
  };
}
