import type { api } from "@trivium/kube";
import { modelLabelOf, volumeNameOf } from "../../names.ts";
import type { AdapterPlan } from "../adapters/adapter-plan.ts";
import type { ObservedModel } from "../observed/model.ts";

/** How the files of a model come into a pod. */
export interface ModelMount {
  readonly path: string;
  readonly volume: api.Volume;
  readonly mount: api.VolumeMount;
  /** Labels of nodes that hold the files. */
  readonly nodes: Readonly<Record<string, string>>;
  /** Tuned weights on top of it. */
  readonly adapters?: AdapterPlan | undefined;
}

export type MountPlan = ({ readonly is: "mounted" } & ModelMount) | { readonly is: "faulty"; readonly why: string };

export function planMount(model: ObservedModel, namespace: string | undefined): MountPlan {
  const { place, name } = model;
  const volumeName = volumeNameOf(name);
  switch (place.is) {
    case "faulty":
      return { is: "faulty", why: `Model ${name}: ${place.why}; correct it` };
    case "claim":
      if (place.namespace !== namespace) {
        const why = `Model ${name} is on a PersistentVolumeClaim in namespace ${place.namespace}, which only services in that namespace can mount; create the service there, or a model in this namespace`;
        return { is: "faulty", why };
      }
      return {
        is: "mounted",
        path: place.path,
        volume: { name: volumeName, persistentVolumeClaim: { claimName: place.claim, readOnly: true } },
        mount: { name: volumeName, mountPath: place.path, subPath: place.subPath, readOnly: true },
        nodes: {},
      };
    case "node":
      return {
        is: "mounted",
        path: place.path,
        // What is on the node already may be one file, and what others look after is theirs; what agents put there is a folder, and one
        // that is missing fails fast.
        volume: {
          name: volumeName,
          hostPath: { path: place.path, ...(isFilled(place.uri.scheme) ? { type: "Directory" } : {}) },
        },
        mount: { name: volumeName, mountPath: place.path, readOnly: true },
        nodes: {
          [modelLabelOf(model.scope === "cluster" ? { name } : { namespace, name })]: "Ready",
        },
      };
  }
}

/** Whether the agents of nodes put the files there. */
const isFilled = (scheme: string): boolean => scheme !== "local" && scheme !== "vendor";
