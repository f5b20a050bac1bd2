import { join } from "node:path";
import type { NodeNetwork } from "./network.ts";

/** Where the parts of a node are. */
export interface NodePlaces {
  readonly folder: string;
  /** Where the Debian packages are unpacked. */
  readonly packages: string;
  readonly network: NodeNetwork;
}

/** Where containerd listens inside the sandbox of the node. */
export const containerdSocket = "/run/containerd/containerd.sock";

export const pauseImage = "localhost/pause:1";

/** Without CAP_SYS_RESOURCE the score of a container for the out-of-memory killer cannot be lowered. */
export const containerdConfiguration = ({ folder, packages }: NodePlaces): string => `version = 2
root = "${folder}/containerd"
state = "/run/containerd"
[grpc]
  address = "${containerdSocket}"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${pauseImage}"
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "${packages}/usr/lib/cni"
    conf_dir = "${folder}/cni"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
      BinaryName = "${packages}/usr/bin/runc"
`;

/** A machine that shares its memory and disk with others must not be judged full by one node. */
export const kubeletConfiguration = ({ folder, network }: NodePlaces): string =>
  JSON.stringify({
    apiVersion: "kubelet.config.k8s.io/v1beta1",
    kind: "KubeletConfiguration",
    address: network.node,
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: false },
      x509: { clientCAFile: join(folder, "..", "kubelet-ca.crt") },
    },
    authorization: { mode: "AlwaysAllow" },
    tlsCertFile: join(folder, "kubelet.crt"),
    tlsPrivateKeyFile: join(folder, "kubelet.key"),
    clusterDNS: [network.node],
    clusterDomain: "cluster.local",
    resolvConf: join(folder, "resolv.conf"),
    containerRuntimeEndpoint: `unix://${containerdSocket}`,
    cgroupDriver: "cgroupfs",
    cgroupRoot: `/${cgroupOf(network)}`,
    failCgroupV1: false,
    failSwapOn: false,
    enforceNodeAllocatable: [],
    evictionHard: {
      "memory.available": "0%",
      "nodefs.available": "0%",
      "nodefs.inodesFree": "0%",
      "imagefs.available": "0%",
    },
    imageGCHighThresholdPercent: 100,
    imageGCLowThresholdPercent: 99,
    syncFrequency: "10s",
    nodeStatusUpdateFrequency: "5s",
  });

export const cgroupOf = ({ id }: NodeNetwork): string => `trivium-node-${id}`;

export const proxyConfiguration = (kubeconfig: string, { pods }: NodeNetwork): string =>
  JSON.stringify({
    apiVersion: "kubeproxy.config.k8s.io/v1alpha1",
    kind: "KubeProxyConfiguration",
    clientConnection: { kubeconfig },
    mode: "nftables",
    clusterCIDR: pods,
    hostnameOverride: nodeName,
    // The limits of connection tracking belong to the whole machine.
    conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: "0s", tcpCloseWaitTimeout: "0s" },
  });

export const nodeName = "trivium-node";

/** Names of Services and pods; nothing outside the cluster. */
export const dnsConfiguration = (kubeconfig: string, { node }: NodeNetwork): string => `.:53 {
  bind ${node}
  errors
  kubernetes cluster.local in-addr.arpa {
    kubeconfig ${kubeconfig}
    pods insecure
  }
  cache 5
}
`;
