import type { JobPlan } from "@trivium/domain";
import type { api, Pod } from "@trivium/kube";
import { isObject, shortHash } from "@trivium/std";
import type { BaseModel } from "../../kinds/base-model.ts";
import { labelValueOf } from "../../names.ts";
import type { ModelPlace } from "../../storage/place.ts";
import { describeFiles, type FilesRead } from "../discovery/describe-files.ts";
import type { DiscoveredConfig } from "./node-entry.ts";

type ClaimPlace = Extract<ModelPlace, { is: "claim" }>;

const container = "inspect";
const mountPath = "/mnt/model";

/** One Job for a model and a place: another place is another Job. */
export function readingNameOf({ metadata, spec }: BaseModel): string {
  const { uid = "", name = "" } = metadata;
  const kept = name.replaceAll(".", "-").slice(0, 30).replace(/-+$/, "");
  return `model-metadata-${kept}-${shortHash(`${uid} ${name} ${spec.storage.storageUri}`, 8)}`;
}

/** Inspects the claim, which no agent of a node can, and prints what its files are. */
export function planReading(
  model: BaseModel,
  place: ClaimPlace,
  { image, resources }: { image: string; resources: api.ResourceRequirements | undefined },
): JobPlan {
  const labels = { "ome.io/model-metadata": labelValueOf(model.metadata.name ?? "") };
  return {
    name: readingNameOf(model),
    namespace: place.namespace,
    labels,
    retries: 3,
    // A Job that failed is deleted after a while, and another one inspects the claim again.
    keepSeconds: 300,
    pod: {
      labels,
      spec: {
        containers: [
          {
            name: container,
            image,
            args: ["inspect", `${mountPath}/${place.subPath}`, "--allow-root", mountPath, "--json"],
            volumeMounts: [{ name: "claim", mountPath, readOnly: true }],
            ...(resources === undefined ? {} : { resources }),
            securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
            terminationMessagePolicy: "FallbackToLogsOnError",
          },
        ],
        volumes: [{ name: "claim", persistentVolumeClaim: { claimName: place.claim, readOnly: true } }],
      },
    },
  };
}

/** Where the answer of a Job stands: the log of the pod that succeeded. */
export function answerPlaceOf(pods: readonly Pod[]) {
  const pod = pods.find(({ status }) => status?.phase === "Succeeded");
  const { namespace = "", name = "" } = pod?.metadata ?? {};
  return pod === undefined ? undefined : { namespace, pod: name, container, restarts: 0, lines: 1 };
}

/** Nothing for what is no answer. */
export function parseReading(text: string): DiscoveredConfig | undefined {
  try {
    const value: unknown = JSON.parse(text.trim().split("\n").at(-1) ?? "");
    if (!isObject(value) || value.event !== "listing" || !Array.isArray(value.models)) return undefined;
    const { models, config } = value;
    return describeFiles({ models, ...(isObject(config) ? { config } : {}) } as unknown as FilesRead) ?? {};
  } catch {
    return undefined;
  }
}
