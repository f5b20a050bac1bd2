import type { api } from "@trivium/kube";
import { type BenchmarkJob, type Faulty, faulty, readPlace } from "./check-spec.ts";

/** Requests that a person brings along: where the tool finds them. */
export type DatasetPlan =
  | {
      readonly is: "planned";
      readonly args: readonly string[];
      readonly volumes: readonly api.Volume[];
      readonly mounts: readonly api.VolumeMount[];
    }
  | Faulty;

const name = "benchmark-dataset";
const folder = "/opt/benchmark-dataset";

export function planDataset({ metadata, spec }: BenchmarkJob): DatasetPlan {
  if (spec.dataset === undefined) return { is: "planned", args: [], volumes: [], mounts: [] };
  const read = readPlace("spec.dataset", spec.dataset.storageUri);
  if (read.is === "faulty") return read;
  const { uri } = read;
  switch (uri.scheme) {
    case "hf":
      return { is: "planned", args: ["--dataset-path", uri.model], volumes: [], mounts: [] };
    case "pvc":
      if (uri.namespace !== undefined && uri.namespace !== metadata.namespace)
        return faulty("spec.dataset.storageUri", `the claim must be in namespace ${metadata.namespace}`);
      return {
        is: "planned",
        args: ["--dataset-path", folder],
        volumes: [{ name, persistentVolumeClaim: { claimName: uri.claim, readOnly: true } }],
        mounts: [{ name, mountPath: folder, subPath: uri.path, readOnly: true }],
      };
    case "local":
      return {
        is: "planned",
        args: ["--dataset-path", folder],
        volumes: [{ name, hostPath: { path: uri.path } }],
        mounts: [{ name, mountPath: folder, readOnly: true }],
      };
    default:
      return faulty("spec.dataset.storageUri", `a dataset cannot be read from ${uri.scheme}://; use hf, pvc or local`);
  }
}
