import { type Api, builtInResources, createApi, openMemoryStore } from "@trivium/apiserver";
import { type HttpTransport, httpTransport, loadKubeconfig } from "@trivium/client";
import type { ApiResponse, Transport } from "@trivium/kube";
import type { JsonObject } from "@trivium/std";

/** The two servers that are to answer alike. */
export interface Servers {
  readonly real: Transport;
  readonly embedded: Transport;
  close(): Promise<void>;
}

/** The real one is the cluster of a kubeconfig. `faults` is told what the embedded one reports of itself. */
export async function openServers(kubeconfig: string, faults: (text: string) => void): Promise<Servers> {
  const access = await loadKubeconfig(kubeconfig);
  const real: HttpTransport = httpTransport(access);
  const { transport, close } = await startEmbedded(faults);
  return {
    real,
    embedded: transport,
    close: async () => {
      await close();
      await real.close();
    },
  };
}

export interface EmbeddedServer {
  readonly api: Api;
  readonly transport: Transport;
  close(): Promise<void>;
}

export async function startEmbedded(faults: (text: string) => void): Promise<EmbeddedServer> {
  const store = await openMemoryStore();
  const log = (message: string, error?: unknown): void => faults(`${message}: ${String(error)}`);
  const api = createApi({ store, resources: builtInResources(), log });
  await api.ready;
  // A real server that has just started remembers nothing of its first versions.
  store.compact(store.revision);
  return {
    api,
    transport: api.transport({ user: "kubernetes-admin", groups: ["system:masters"] }),
    close: async () => {
      await api.close();
      await store.close();
    },
  };
}

/** A namespace with what controllers put into every one, so that pods can be created where no controller runs. */
export async function prepareNamespace(transport: Transport, namespace: string): Promise<void> {
  const inside = `/api/v1/namespaces/${namespace}`;
  await post(transport, "/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  await post(transport, `${inside}/serviceaccounts`, {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { name: "default" },
  });
  await post(transport, `${inside}/configmaps`, {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "kube-root-ca.crt" },
    data: { "ca.crt": "" },
  });
}

/** Creates an object; that it is there already is as good. */
export async function post(transport: Transport, path: string, object: JsonObject): Promise<ApiResponse> {
  const response = await transport({
    method: "POST",
    path,
    headers: { "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify(object),
  });
  if (response.status >= 300 && response.status !== 409) {
    throw new Error(`cannot create ${path}: ${response.status} ${String(response.body)}`);
  }
  return response;
}
