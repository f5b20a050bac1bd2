import {
  ConfigMap,
  EndpointSlice,
  isConditionTrue,
  type Kind,
  type KubeClient,
  type KubeObject,
  Namespace,
  Service,
} from "@trivium/kube";

interface APIService extends KubeObject {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

const APIService: Kind<APIService> = {
  group: "apiregistration.k8s.io",
  version: "v1",
  kind: "APIService",
  plural: "apiservices",
  namespaced: false,
};

const kinds = [Namespace, Service, EndpointSlice, ConfigMap, APIService] as unknown as readonly Kind[];

/** Gives a cluster the objects that a controller of another project is installed with. */
export async function applyObjects(client: KubeClient, objects: readonly object[]): Promise<void> {
  for (const object of objects as readonly KubeObject[]) {
    const kind = kinds.find((each) => each.kind === object.kind);
    if (kind === undefined) throw new Error(`${object.kind} is no kind that is installed here`);
    await client.apply(kind, object, { fieldManager: "neighbours", force: true });
  }
}

/** Whether the API server reaches the server of an aggregated API. */
export async function isAvailable(client: KubeClient, name: string): Promise<boolean> {
  const { status } = await client.get(APIService, { name });
  return isConditionTrue(status?.conditions, "Available");
}
