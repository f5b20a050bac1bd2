import type { Node } from "@trivium/kube";
import type { Traits } from "../traits.ts";

const rolePrefix = "node-role.kubernetes.io/";

export const nodeCells: NonNullable<Traits<Node>["cells"]> = {
  Status: statusText,
  Roles: ({ metadata }) => rolesOf(metadata.labels ?? {}).join(",") || "<none>",
  Version: ({ status }) => status?.nodeInfo?.kubeletVersion ?? "",
  "Internal-IP": (node) => addressOf(node, "InternalIP"),
  "External-IP": (node) => addressOf(node, "ExternalIP"),
  "OS-Image": ({ status }) => status?.nodeInfo?.osImage || "<unknown>",
  "Kernel-Version": kernelText,
  "Container-Runtime": ({ status }) => status?.nodeInfo?.containerRuntimeVersion || "<unknown>",
};

function statusText({ spec, status }: Node): string {
  const ready = status?.conditions?.findLast((condition) => condition.type === "Ready");
  const word = ready === undefined ? "Unknown" : ready.status === "True" ? "Ready" : "NotReady";
  return spec?.unschedulable ? `${word},SchedulingDisabled` : word;
}

function rolesOf(labels: Readonly<Record<string, string>>): string[] {
  const roles = new Set<string>();
  for (const [key, value] of Object.entries(labels)) {
    if (key.startsWith(rolePrefix) && key.length > rolePrefix.length) roles.add(key.slice(rolePrefix.length));
    if (key === "kubernetes.io/role" && value !== "") roles.add(value);
  }
  return [...roles].sort();
}

function addressOf({ status }: Node, type: string): string {
  return status?.addresses?.find((one) => one.type === type)?.address ?? "<none>";
}

function kernelText({ status }: Node): string {
  const version = status?.nodeInfo?.kernelVersion || "<unknown>";
  const architecture = status?.nodeInfo?.architecture;
  return architecture ? `${version} (${architecture})` : version;
}
