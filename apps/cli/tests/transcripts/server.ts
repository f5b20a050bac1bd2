import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  builtInResources,
  createApi,
  loadOrCreateIdentity,
  openStore,
  serveHttps,
  writeKubeconfig,
} from "@trivium/apiserver";

export interface Server {
  readonly folder: string;
  readonly kubeconfig: string;
  close(): Promise<void>;
}

/** No pod runs; Services lead to where their endpoints say. */
const noPods: Parameters<typeof createApi>[0]["podStreams"] = {
  exec: () => assert.fail("no pod runs"),
  attach: () => assert.fail("no pod runs"),
  addressOf: () => undefined,
};

/** The embedded server over HTTPS, without any controller: the world stays as it was seeded. */
export async function startServer(): Promise<Server> {
  const folder = mkdtempSync(join(tmpdir(), "trivium-transcript-"));
  mkdirSync(join(folder, "data"));
  const store = await openStore({ directory: join(folder, "data") });
  const identity = await loadOrCreateIdentity(join(folder, "identity"));
  const report = (what: string, error?: unknown) => console.error(`server: ${what}`, error);
  const options = { store, resources: builtInResources(), rootCertificate: identity.authority, log: report };
  const api = createApi({ ...options, podStreams: noPods });
  await api.ready;
  const server = await serveHttps(api, { identity, report, checks: [] });
  const kubeconfig = join(folder, "kubeconfig");
  const credential = { is: "certificate", pair: identity.admin } as const;
  await writeKubeconfig(kubeconfig, { server: server.url, authority: identity.authority, credential });
  return {
    folder,
    kubeconfig,
    close: async () => {
      await server.close();
      await api.close();
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
