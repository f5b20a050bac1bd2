import type { api, Node } from "@trivium/kube";
import { formatTime, type Instant } from "@trivium/std";
import { type Accelerator, factsOfAccelerators } from "../devices/accelerators.ts";

/** What a node says of itself. */
export interface NodeProfile {
  readonly name: string;
  /** Where its kubelet endpoint and its host-network pods are. */
  readonly address: string;
  /** Left out: 16 cores, 64Gi of memory, 200Gi of disk and 110 pods. */
  readonly capacity?: Readonly<Record<string, string>>;
  /** What is kept back for the machine itself is missing here; the same as the capacity when left out. */
  readonly allocatable?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly taints?: readonly api.Taint[];
  readonly accelerators?: readonly Accelerator[];
  readonly architecture?: "amd64" | "arm64";
  readonly operatingSystem?: "linux" | "darwin";
  /** Kernel, machine id and the like, where they are known. */
  readonly system?: Partial<api.NodeSystemInfo>;
}

/** What the machine runs short of. */
export interface NodePressure {
  readonly memory: boolean;
  readonly disk: boolean;
  readonly pids: boolean;
}

/** The version of the API that this agent keeps to; the scheduler and kubectl look at it. */
const kubeletVersion = "v1.36.4";

const defaultCapacity = { cpu: "16", memory: "64Gi", "ephemeral-storage": "200Gi", pods: "110" };

/** The Node as it is registered: without status, which has a call of its own. */
export function nodeOf(profile: NodeProfile): Node {
  const { name, architecture = "amd64", operatingSystem = "linux", accelerators = [], taints = [] } = profile;
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name,
      labels: {
        "beta.kubernetes.io/arch": architecture,
        "beta.kubernetes.io/os": operatingSystem,
        "kubernetes.io/arch": architecture,
        "kubernetes.io/os": operatingSystem,
        "kubernetes.io/hostname": name,
        ...factsOfAccelerators(accelerators).labels,
        ...profile.labels,
      },
      annotations: { "volumes.kubernetes.io/controller-managed-attach-detach": "true", ...profile.annotations },
    },
    spec: taints.length === 0 ? {} : { taints: [...taints] },
  };
}

export interface NodeMoment {
  readonly kubeletPort?: number | undefined;
  readonly scheme: string;
  readonly now: Instant;
  readonly before: readonly api.NodeCondition[];
  /** Left out, the machine is short of nothing. */
  readonly pressure?: NodePressure | undefined;
}

/** The status of a node that runs. */
export function nodeStatusOf(profile: NodeProfile, moment: NodeMoment): NonNullable<Node["status"]> {
  const { name, address, architecture = "amd64", operatingSystem = "linux" } = profile;
  const devices = factsOfAccelerators(profile.accelerators ?? []).capacity;
  const capacity = { ...defaultCapacity, ...devices, ...profile.capacity };
  const { kubeletPort, scheme } = moment;
  return {
    capacity,
    allocatable: { ...capacity, ...profile.allocatable },
    addresses: [
      { type: "InternalIP", address },
      { type: "Hostname", address: name },
    ],
    conditions: outcomesOf(moment.pressure ?? noPressure).map((outcome) => conditionOf(outcome, moment)),
    ...(kubeletPort === undefined ? {} : { daemonEndpoints: { kubeletEndpoint: { Port: kubeletPort } } }),
    nodeInfo: {
      architecture,
      operatingSystem,
      bootID: "",
      machineID: "",
      systemUUID: "",
      kernelVersion: "",
      osImage: "Trivium",
      containerRuntimeVersion: `${scheme}://1`,
      kubeletVersion,
      kubeProxyVersion: "",
      ...profile.system,
    },
  };
}

const noPressure: NodePressure = { memory: false, disk: false, pids: false };

type ConditionUpdate = Pick<api.NodeCondition, "type" | "status" | "reason" | "message">;

/** Each shortage with its reason and message, when it is there and when it is not. */
const shortages = [
  [
    "MemoryPressure",
    "memory",
    ["KubeletHasInsufficientMemory", "kubelet has insufficient memory available"],
    ["KubeletHasSufficientMemory", "kubelet has sufficient memory available"],
  ],
  [
    "DiskPressure",
    "disk",
    ["KubeletHasDiskPressure", "kubelet has disk pressure"],
    ["KubeletHasNoDiskPressure", "kubelet has no disk pressure"],
  ],
  [
    "PIDPressure",
    "pids",
    ["KubeletHasInsufficientPID", "kubelet has insufficient PID available"],
    ["KubeletHasSufficientPID", "kubelet has sufficient PID available"],
  ],
] as const;

function outcomesOf(pressure: NodePressure): ConditionUpdate[] {
  const short = shortages.map(([type, what, bad, good]): ConditionUpdate => {
    const [reason, message] = pressure[what] ? bad : good;
    return { type, status: pressure[what] ? "True" : "False", reason, message };
  });
  return [
    ...short,
    { type: "Ready", status: "True", reason: "KubeletReady", message: "kubelet is posting ready status" },
  ];
}

function conditionOf(condition: ConditionUpdate, { now, before }: NodeMoment): api.NodeCondition {
  const old = before.find(({ type }) => type === condition.type);
  const at = formatTime(now);
  const isSame = old?.status === condition.status && old.lastTransitionTime !== undefined;
  return { ...condition, lastHeartbeatTime: at, lastTransitionTime: isSame ? old.lastTransitionTime : at };
}
