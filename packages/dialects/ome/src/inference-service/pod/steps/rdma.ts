import type { api } from "@trivium/kube";
import { mainContainer } from "../../../names.ts";
import { addMounts, addNew, type PodStep, PodStepRefusal, withContainer } from "./pod-step.ts";

/** What a network of a certain make needs of a container. */
interface RdmaProfile {
  readonly variables: Readonly<Record<string, string>>;
  readonly volumes: readonly api.Volume[];
  readonly mounts: readonly api.VolumeMount[];
}

const adapters = [0, 1, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14, 15, 16, 17].map((number) => `mlx5_${number}`);

const profiles: Readonly<Record<string, RdmaProfile>> = {
  "oci-roce": {
    variables: {
      GLOO_SOCKET_IFNAME: "eth0",
      HCOLL_ENABLE_MCAST_ALL: "0",
      IB_RX_QUEUE_LEN: "8192",
      NCCL_CROSS_NIC: "2",
      NCCL_CUMEM_ENABLE: "0",
      NCCL_DEBUG: "INFO",
      NCCL_IB_GID_INDEX: "3",
      // The sign in front asks for exactly these devices, not for all that begin so.
      NCCL_IB_HCA: `=${adapters.join(",")}`,
      NCCL_IB_QPS_PER_CONNECTION: "16",
      NCCL_IB_SL: "0",
      NCCL_IB_SPLIT_DATA_ON_QPS: "0",
      NCCL_IB_TC: "41",
      NCCL_IB_TIMEOUT: "22",
      NCCL_IGNORE_CPU_AFFINITY: "1",
      NCCL_NET_PLUGIN: "none",
      NCCL_SOCKET_IFNAME: "eth0",
      NCCL_SOCKET_NTHREADS: "16",
      RX_QUEUE_LEN: "8192",
      UCX_NET_DEVICES: "eth0",
      UCX_TLS: "tcp",
      coll_hcoll_enable: "0",
    },
    volumes: [
      { name: "devinf", hostPath: { path: "/dev/infiniband" } },
      { name: "dshm", emptyDir: { medium: "Memory" } },
    ],
    mounts: [
      { name: "devinf", mountPath: "/dev/infiniband" },
      { name: "dshm", mountPath: "/dev/shm" },
    ],
  },
};

const capabilities = ["IPC_LOCK", "SYS_ADMIN"];

/** Opens the fast network between nodes to a container. A router has no use for it, unless its own annotations say so. */
export const openRdma: PodStep = (pod, { component, spec }) => {
  const { annotations } = component === "router" ? { annotations: spec.annotations ?? {} } : pod;
  if (annotations["rdma.ome.io/auto-inject"] !== "true") return pod;
  const name = annotations["rdma.ome.io/profile"] ?? "oci-roce";
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (profile === undefined) {
    const known = Object.keys(profiles).join(", ");
    throw new PodStepRefusal(`rdma.ome.io/profile: unknown profile ${name}; use ${known}`);
  }
  const target = annotations["rdma.ome.io/container-name"] ?? mainContainer;
  if (!pod.spec.containers.some((one) => one.name === target)) return pod;
  const opened = withContainer(pod, target, (container) => ({
    ...container,
    env: addNew(
      container.env,
      Object.entries(profile.variables).map(([key, value]) => ({ name: key, value })),
    ),
    volumeMounts: addMounts(container.volumeMounts, profile.mounts),
    securityContext: privileged(container.securityContext),
  }));
  // A volume whose place the user has filled already is not needed.
  const used = opened.spec.containers.flatMap((one) => one.volumeMounts ?? []);
  const needed = profile.volumes.filter((volume) => used.some((mount) => mount.name === volume.name));
  return { ...opened, spec: { ...opened.spec, volumes: addNew(opened.spec.volumes, needed) } };
};

function privileged(context: api.SecurityContext | undefined): api.SecurityContext {
  const { capabilities: held = {}, ...rest } = context ?? {};
  const add = [...new Set([...(held.add ?? []), ...capabilities])];
  return { privileged: true, ...rest, capabilities: { ...held, add } };
}
