import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { builtInResources } from "../../src/built-in/index.ts";
import {
  loadOrCreateIdentity,
  type RunningServer,
  type ServerIdentity,
  serveHttps,
  storeCheck,
  writeKubeconfig,
} from "../../src/http/index.ts";
import { type Api, createApi } from "../../src/server.ts";
import { openStore } from "../../src/store/index.ts";

/** The whole embedded server: a store on disk, every built-in kind, TLS, and a kubeconfig. */
export interface Embedded {
  readonly api: Api;
  readonly server: RunningServer;
  readonly identity: ServerIdentity;
  readonly kubeconfig: string;
  close(): Promise<void>;
}

export async function startEmbedded(folder: string): Promise<Embedded> {
  await mkdir(join(folder, "data"), { recursive: true });
  const [store, identity] = await Promise.all([
    openStore({ directory: join(folder, "data") }),
    loadOrCreateIdentity(join(folder, "identity")),
  ]);
  const report = (what: string, error?: unknown) => console.error(`server: ${what}`, error);
  const api = createApi({ store, resources: builtInResources(), rootCertificate: identity.authority, log: report });
  await api.ready;
  const server = await serveHttps(api, { identity, report, checks: [storeCheck(store)] });
  const kubeconfig = join(folder, "kubeconfig");
  const credential = { is: "certificate", pair: identity.admin } as const;
  await writeKubeconfig(kubeconfig, { server: server.url, authority: identity.authority, credential });
  return {
    api,
    server,
    identity,
    kubeconfig,
    close: async () => {
      await server.close();
      await api.close();
      await store.close();
    },
  };
}
