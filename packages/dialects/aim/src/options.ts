import { ownImage } from "@trivium/domain";
/** What whoever runs the operator decides for all AIM objects. */
export interface AimOptions {
  /** Where Jobs and Secrets of cluster-wide objects live. */
  readonly operatorNamespace: string;
  /** Serves the weights of custom models that name no image of their own. */
  readonly baseImage: string;
  /**
   * Arguments of that image, where another server stands in for AIM's own, which finds weights by its variables. `{model}` is the folder of
   * the weights, `{name}` what they are called, `{port}` where to listen.
   */
  readonly baseArguments: readonly string[];
  /** Folder inside the container where it looks for weights. */
  readonly cacheRoot: string;
  /** Folders of nodes that `file://` sources may lie in. */
  readonly localRoots: readonly string[];
  /** Whether a cache of such a source has a copy of the files, or links to them. Pods that see the whole disk can follow links. */
  readonly localFiles: "copied" | "linked";
  /** The image with `trivium-weights`, which fetches weights. */
  readonly weightsImage: string;
  /** `os/architecture` of the images whose labels are read, where an image comes in several. */
  readonly platform: string;
  readonly discovery: DiscoveryOptions;
  /** What runs services: KServe where the API serves its kinds, or Deployments of our own also there. */
  readonly backend: "auto" | "deployment";
  /** What KServe is given: a runtime that the template has made, by its name, or the container itself. */
  readonly runtimeMode: "serving-runtime" | "inline";
  /** Where measurements of pods are sent, and who tells KEDA of them, where a metric of a service names nobody. */
  readonly metricReceiver: string;
  readonly metricScaler: string;
}

export interface DiscoveryOptions {
  /** Most Jobs that look into images at the same time, over the whole cluster. */
  readonly maxJobs: number;
  /** After so many Jobs without a result a template counts as failed; it is still tried again, at the slowest pace. */
  readonly maxAttempts: number;
}

export const defaultOptions: AimOptions = {
  operatorNamespace: "aim-system",
  baseImage: "amdenterpriseai/aim-base:latest",
  baseArguments: [],
  cacheRoot: "/workspace/model-cache",
  localRoots: [],
  localFiles: "copied",
  weightsImage: ownImage("weights"),
  platform: "linux/amd64",
  discovery: { maxJobs: 10, maxAttempts: 5 },
  backend: "auto",
  runtimeMode: "serving-runtime",
  metricReceiver: "keda-otel-scaler.keda.svc:4317",
  metricScaler: "keda-otel-scaler.keda.svc:4317",
};
