import type { AdapterFiles } from "@trivium/engines";
import type { api } from "@trivium/kube";
import { modelLabelOf, volumeNameOf } from "../../names.ts";
import type { OmeOptions } from "../../options.ts";
import type { ObservedWeight } from "./observe-weights.ts";

/** How the files of tuned weights come into a pod. */
export interface WeightMount {
  readonly path: string;
  readonly volume: api.Volume;
  readonly mount: api.VolumeMount;
  /** Labels of nodes that hold the files. */
  readonly nodes: Readonly<Record<string, string>>;
  /** Brings the files, where no agent does. */
  readonly init?: api.Container | undefined;
}

const podRoot = "/mnt/fine-tuned-weights";

/** What was checked before is taken for granted: the place is good, and a claim is in the namespace of the service. */
export function mountWeight(weight: ObservedWeight, { images }: Pick<OmeOptions, "images">): WeightMount {
  const { name, place, bringer } = weight;
  const volumeName = volumeNameOf(`weights-${name}`);
  if (place.is === "claim") {
    const path = `${podRoot}/${name}`;
    return {
      path,
      volume: { name: volumeName, persistentVolumeClaim: { claimName: place.claim, readOnly: true } },
      mount: { name: volumeName, mountPath: path, subPath: place.subPath, readOnly: true },
      nodes: {},
    };
  }
  const isLocal = place.is === "node" && place.uri.scheme === "local";
  if (bringer === "pod" && !isLocal) return fetchedByPod(weight, volumeName, images.weights);
  const path = place.is === "node" ? place.path : "";
  return {
    path,
    volume: { name: volumeName, hostPath: { path, ...(isLocal ? {} : { type: "Directory" }) } },
    mount: { name: volumeName, mountPath: path, readOnly: true },
    nodes: { [modelLabelOf({ is: "weights", name })]: "Ready" },
  };
}

function fetchedByPod({ name, storageUri }: ObservedWeight, volumeName: string, image: string): WeightMount {
  const path = `${podRoot}/${name}`;
  return {
    path,
    volume: { name: volumeName, emptyDir: {} },
    mount: { name: volumeName, mountPath: path, readOnly: true },
    nodes: {},
    init: {
      name: volumeNameOf(`fine-tuned-adapter-${name}`),
      image,
      args: ["fetch", storageUri, "--to", path, "--store", `${path}/.trivium`, "--layout", "plain", "--json"],
      volumeMounts: [{ name: volumeName, mountPath: path }],
      securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
      terminationMessagePolicy: "FallbackToLogsOnError",
    },
  };
}

/** An address may name the one file, which then needs no reading. */
const namedFile = /([^/]+\.gguf)(?:@[^/]*)?$/i;

export const adapterFilesOf = (
  { name, adapter, rank, storageUri }: ObservedWeight,
  { path }: WeightMount,
): AdapterFiles => ({
  name,
  path,
  file: adapter.file ?? namedFile.exec(storageUri)?.[1],
  rank: rank ?? adapter.rank,
});
