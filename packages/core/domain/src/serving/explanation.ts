import type { DefinedKind, KubeObject } from "@trivium/kube";
import type { Dialect } from "@trivium/reconcile";
import type { Instant } from "@trivium/std";
import type { MemoryFit } from "../hardware/memory-fit.ts";
import type { DownloadProgress } from "../weights/download-progress.ts";
import type { Choice } from "./choice.ts";
import type { SimpleService, WrittenService } from "./simple-service.ts";

/** What a decision says for itself beyond the status: for `explain` and other views. */
export interface Explanation {
  /** Which way to run it was chosen, and why each of the others was not. */
  readonly choice?: Choice | undefined;
  readonly fit?: MemoryFit | undefined;
}

/** How objects of a kind explain themselves, from what their reconciler observes: the code that decides, not a second opinion. */
export interface Explainer {
  /** Name of the reconciler whose observed data it takes. */
  readonly reconciler: string;
  explain(object: KubeObject, observed: unknown, now: Instant): Explanation;
}

/** A dialect whose services can be explained. */
export interface ServingDialect extends Dialect {
  readonly explainers: readonly Explainer[];
  /** The kind of its services. */
  readonly serviceKind: DefinedKind;
  /** Writes the manifests of a simple service. */
  writeService(service: SimpleService): WrittenService;
  /** The download that the status of an object reports, where one runs. */
  downloadOf(object: KubeObject): DownloadProgress | undefined;
}
