/** A node as facts have it: ready, without GPUs. */
export const node = {
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "n1", uid: "n1", labels: { "kubernetes.io/hostname": "n1" } },
  status: {
    capacity: { cpu: "8", memory: "32Gi", pods: "110" },
    allocatable: { cpu: "8", memory: "32Gi", pods: "110" },
    conditions: [{ type: "Ready", status: "True" }],
  },
};
