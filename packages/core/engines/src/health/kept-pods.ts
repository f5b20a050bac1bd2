import type { KubeObject } from "@trivium/kube";
import { parseRendered, renderedAnnotation } from "@trivium/reconcile";

/** The template of a workload, as a decision compares it with the newest. */
export interface ObservedTemplate {
  readonly template?: string;
  /**
   * The mark of pods that an upgrade of the operator or a take-over kept, empty where another operator gave them none: they count as the
   * template that this operator renders now.
   */
  readonly keeps?: string;
}

/** Reads which template a workload has; `running` is the mark in its pod template. */
export function observeTemplate({ metadata }: KubeObject, running: string | undefined): ObservedTemplate {
  const rendered = parseRendered(metadata.annotations?.[renderedAnnotation] ?? "");
  if (rendered?.isKept === true && rendered.mark !== "") return { template: rendered.mark, keeps: running ?? "" };
  return running === undefined ? {} : { template: running };
}

/** A pod with the template that it counts as. */
export function countAsRendered<P extends { readonly template?: string | undefined }>(
  pod: P,
  workload: { readonly template?: string | undefined; readonly keeps?: string | undefined } | undefined,
): P {
  if (workload?.keeps === undefined || (pod.template ?? "") !== workload.keeps) return pod;
  return { ...pod, template: workload.template };
}
