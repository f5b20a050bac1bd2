import { type KubeClient, type Pod, Service } from "@trivium/kube";
import { ConfigFault } from "../config-fault.ts";
import type { SandboxSetupOptions } from "../options.ts";
import type { ContainerInput } from "../prepare-container.ts";
import { environmentOf, type Variable } from "./container-environment.ts";
import { environmentOfServices } from "./service-environment.ts";

/** The variables of a container's spec, with those of Services. */
export async function podVariables(
  { pod, container, setup, references }: ContainerInput,
  { client, node, apiServer }: SandboxSetupOptions,
): Promise<ReadonlyMap<string, Variable>> {
  const services = environmentOfServices(await servicesFor(client, pod));
  if (apiServer !== undefined) {
    services.set("KUBERNETES_SERVICE_HOST", apiServer.host);
    services.set("KUBERNETES_SERVICE_PORT", String(apiServer.port));
    services.set("KUBERNETES_SERVICE_PORT_HTTPS", String(apiServer.port));
  }
  const place = { address: setup.address, hostAddress: node.address, nodeName: node.name };
  return environmentOf({ pod, container, place, allocatable: node.allocatable ?? {}, services, references });
}

/** Services of the pod's namespace where it wants them, and always the one of the API. */
async function servicesFor(client: KubeClient, pod: Pod): Promise<Service[]> {
  const namespace = pod.metadata.namespace ?? "default";
  const wantsAll = pod.spec?.enableServiceLinks !== false;
  try {
    const own = wantsAll ? (await client.list(Service, { namespace })).items : [];
    if (own.some(isApi)) return own;
    const fieldSelector = "metadata.name=kubernetes";
    const { items } = await client.list(Service, { namespace: "default", fieldSelector });
    return [...items, ...own];
  } catch {
    throw new ConfigFault("services have not yet been read at least once, cannot construct envvars");
  }
}

const isApi = ({ metadata }: Service): boolean => metadata.namespace === "default" && metadata.name === "kubernetes";
