import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  adminByToken,
  builtInResources,
  createAccountTokens,
  createApi,
  loadOrCreateIdentity,
  openMemoryStore,
  serveHttps,
  writeKubeconfig,
} from "@trivium/apiserver";
import { createClient } from "@trivium/client";
import { createRuntime } from "@trivium/runtime";
import type { ControlPlane } from "../../../../../tools/cluster/control-plane.ts";
import { workloadReconcilers } from "../../src/index.ts";

/** The embedded server over HTTPS with our own controllers, reached as the real one is. */
export type Embedded = Pick<ControlPlane, "kubeconfig" | "kubectl" | "stop">;

export async function startEmbedded(real: ControlPlane): Promise<Embedded> {
  const folder = await mkdtemp(join(tmpdir(), "trivium-judge-"));
  const identity = await loadOrCreateIdentity(join(folder, "identity"), { names: ["127.0.0.1"] });
  const api = createApi({
    store: openMemoryStore(),
    resources: builtInResources(),
    rootCertificate: identity.authority,
    tokens: createAccountTokens(identity.accountKey),
    otherTokens: adminByToken(identity),
  });
  await api.ready;
  const server = await serveHttps(api, { identity, host: "127.0.0.1", port: 0, tokens: api.tokenOwner, checks: [] });
  const kubeconfig = join(folder, "kubeconfig");
  const credential = { is: "certificate", pair: identity.admin } as const;
  await writeKubeconfig(kubeconfig, { server: server.url, authority: identity.authority, credential });
  const client = createClient(api.transport({ user: "judge", groups: ["system:masters"] }));
  const runtime = createRuntime({
    client,
    reconcilers: workloadReconcilers,
    identity: "judge",
    log: { debug: console.error, info() {}, warn: console.error, error: console.error },
  });
  await runtime.start();
  return {
    kubeconfig,
    kubectl: (args, input) => real.kubectl(["--kubeconfig", kubeconfig, ...args], input),
    async stop() {
      await runtime.stop();
      await server.close();
      await api.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
