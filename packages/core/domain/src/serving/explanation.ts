import type { AnyObject, DefinedKind, KubeObject } from "@trivium/kube";
import type { Dialect } from "@trivium/reconcile";
import type { Instant, JsonObject } from "@trivium/std";
import type { MemoryFit } from "../hardware/memory-fit.ts";
import type { Diagnosis } from "../health/diagnosis.ts";
import type { DownloadProgress } from "../weights/download-progress.ts";
import type { Choice } from "./choice.ts";
import type { PortableService, ReadService, WrittenService } from "./portable-service.ts";
import type { ServiceSummary } from "./service-summary.ts";

/** What a decision says for itself beyond the status: for `explain` and other views. */
export interface Explanation {
  /** Which way to run it was chosen, and why each of the others was not. */
  readonly choice?: Choice | undefined;
  /** What else was chosen for it, such as an accelerator class. */
  readonly moreChoices?: readonly Choice[] | undefined;
  readonly fit?: MemoryFit | undefined;
  /** The one cause that keeps it from serving. */
  readonly diagnosis?: Diagnosis | undefined;
  /** The pod that shows it, where a pod does. */
  readonly failedPod?: string | undefined;
}

/** How objects of a kind explain themselves, from what their reconciler observes: the code that decides, not a second opinion. */
export interface Explainer {
  /** Name of the reconciler whose observed data it takes. */
  readonly reconciler: string;
  explain(object: KubeObject, observed: unknown, now: Instant): Explanation;
}

/** What the objects of a dialect report of their weights. */
export interface WeightsReader {
  /** The download that the status of an object reports, where one runs. */
  downloadOf(object: KubeObject): DownloadProgress | undefined;
  /** Where the model of an object comes from, as its spec names it and `writeService` writes it: weights, or an image that has them. */
  sourceOf(object: KubeObject): string | undefined;
  /** Where the weights of an object are and how large they are, as far as it reports that. */
  storedOf(object: KubeObject): StoredWeights | undefined;
  /** The weights that an object has downloaded, where it is one that does. */
  weightsOf(object: KubeObject): NamedWeights | undefined;
}

/** A dialect whose services can be explained. */
export interface ServingDialect extends Dialect, WeightsReader {
  readonly explainers: readonly Explainer[];
  /** The kind of its services. */
  readonly serviceKind: DefinedKind;
  /** Merge patches that stop a service until a person starts it, whatever requests arrive. Absent where the API has no field for that. */
  readonly suspension?: { readonly stop: JsonObject; readonly start: JsonObject };
  /** Writes the manifests of a portable service. */
  writeService(service: PortableService): WrittenService;
  /** Reads a valid service of this dialect, with the objects beside it that it names. */
  readService(service: AnyObject, others: readonly AnyObject[]): ReadService;
  /** Another group of the same API, whose objects can be written in this one. */
  readonly sibling?: SiblingGroup;
  /** What a list shows of a service beyond its state. */
  summarizeService(service: KubeObject): ServiceSummary;
}

export interface SiblingGroup {
  readonly group: string;
  /** The kind of its services, which are written behind what they refer to. */
  readonly service: string;
  /** An object of that group as one of this; `notes` say what differs, by field. */
  translate(object: AnyObject): { readonly object: AnyObject; readonly notes: Readonly<Record<string, string>> };
}

/** Weights as they are stored in the cluster. */
export interface StoredWeights {
  readonly bytes?: number | undefined;
  /** Digest of the file, where it was computed. */
  readonly sha256?: string | undefined;
  /** Nodes that have them on their own disk. */
  readonly nodes?: readonly string[] | undefined;
  /** PersistentVolumeClaim in the namespace of the object. */
  readonly claim?: string | undefined;
  /** Labels of the pods that read them, in the namespace of the object. */
  readonly readers?: Readonly<Record<string, string>> | undefined;
}

/** Weights somewhere else, as an object names them. */
export interface NamedWeights {
  readonly source: string;
  /** Of a repository; all of them where none are named. */
  readonly files: readonly string[];
}
