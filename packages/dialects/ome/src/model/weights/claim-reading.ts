import { type api, Job, type Pod } from "@trivium/kube";
import type { Desired } from "@trivium/reconcile";
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

/** Looks into the claim, where no agent of a node can, and prints what the files say of themselves. */
export function readingJob(
  model: BaseModel,
  place: ClaimPlace,
  { image, resources }: { image: string; resources: api.ResourceRequirements | undefined },
): Desired<Job> {
  const labels = { "ome.io/model-metadata": labelValueOf(model.metadata.name ?? "") };
  const object: Job = {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: readingNameOf(model), namespace: place.namespace, labels },
    spec: {
      backoffLimit: 3,
      // One that failed goes after a while, and another looks again.
      ttlSecondsAfterFinished: 300,
      template: {
        metadata: { labels },
        spec: {
          restartPolicy: "Never",
          automountServiceAccountToken: false,
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
    },
  };
  // A pod template cannot change, and neither does what it is to find out.
  return { kind: Job, object, createOnly: true };
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
