import type { Kind, KubeObject, Ref } from "@trivium/kube";
import {
  type AdmissionRequest,
  type AdmissionResult,
  type AdmissionVerb,
  type Reader,
  withParts,
} from "@trivium/reconcile";
import { formatFieldError } from "@trivium/schema";
import { absent, known, pending } from "@trivium/std";
import { omeAdmissions } from "../src/admission/index.ts";
import { defaultOptions, type OmeOptions } from "../src/options.ts";

/** An object as a person writes it. */
export type Written = {
  kind: string;
  metadata: { name: string; namespace?: string; [key: string]: unknown };
  spec?: object;
};

const asObject = (written: Written): KubeObject =>
  ({ apiVersion: written.kind === "ConfigMap" ? "v1" : "ome.io/v1beta1", ...written }) as unknown as KubeObject;

/** What is stored when somebody writes; nothing is known of it before the caches are filled. */
export class AdmissionWorld {
  readonly #objects: readonly KubeObject[];
  readonly #options: OmeOptions;
  readonly #isFilled: boolean;

  constructor(objects: readonly Written[] | "dark" = [], options: OmeOptions = defaultOptions) {
    this.#isFilled = objects !== "dark";
    this.#objects = objects === "dark" ? [] : objects.map(asObject);
    this.#options = options;
  }

  fill(object: Written, old?: Written): Written {
    const { admission, request } = this.#ask(object, old === undefined ? "create" : "update", old);
    return (admission.fill?.(request, admission.observe(request, this.#reader)) ??
      request.object) as unknown as Written;
  }

  judge(object: Written, old?: Written): { faults: string[]; warnings: readonly string[] } {
    return this.#judge(object, old === undefined ? "create" : "update", old);
  }

  judgeDeletion(object: Written): { faults: string[]; warnings: readonly string[] } {
    return this.#judge(object, "delete", undefined);
  }

  #judge(object: Written, verb: AdmissionVerb, old: Written | undefined) {
    const { admission, request } = this.#ask(object, verb, old);
    const { faults, warnings }: AdmissionResult = admission.judge(request, admission.observe(request, this.#reader));
    return { faults: faults.map(formatFieldError), warnings };
  }

  #ask(object: Written, verb: AdmissionVerb, old: Written | undefined) {
    const admission = omeAdmissions(this.#options).find(({ kind }) => kind.kind === object.kind);
    if (admission === undefined) throw new Error(`there is no admission of ${object.kind}`);
    const request: AdmissionRequest = {
      verb,
      object: asObject(object),
      ...(old === undefined ? {} : { old: asObject(old) }),
    };
    return { admission, request };
  }

  readonly #reader: Reader = withParts({
    get: (kind: Kind, ref: Ref) => {
      const found = this.#of(kind).find(
        ({ metadata }) => metadata.name === ref.name && (!kind.namespaced || metadata.namespace === ref.namespace),
      );
      if (found !== undefined) return known(found) as never;
      return this.#isFilled ? absent : pending;
    },
    nearest: (twin, ref) => {
      for (const kind of twin) {
        if (kind.namespaced && ref.namespace === undefined) continue;
        const fact = this.#reader.get(kind, ref);
        if (fact.is !== "absent") return fact as never;
      }
      return absent;
    },
    list: (kind, { namespace }) =>
      this.#of(kind).filter(({ metadata }) => namespace === undefined || metadata.namespace === namespace) as never,
    ask: () => {
      throw new Error("nobody is asked");
    },
  });

  #of(kind: Kind): KubeObject[] {
    return this.#objects.filter((one) => one.kind === kind.kind);
  }
}
