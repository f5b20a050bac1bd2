import type { Kind, KubeObject } from "@trivium/kube";
import { type AnyReconciler, type Reader, withParts } from "@trivium/reconcile";
import { absent, canonicalJson, type Json, known } from "@trivium/std";
import { classReconciler } from "../src/accelerator-class/reconciler.ts";
import { omeAdmissions } from "../src/admission/index.ts";
import { modelStoreOf } from "../src/agent/index.ts";
import { benchmarkReconciler } from "../src/benchmark-job/reconciler.ts";
import { weightReconciler } from "../src/fine-tuned-weight/reconciler.ts";
import { serviceReconciler } from "../src/inference-service/reconciler.ts";
import { clusterModelReconciler } from "../src/model/reconciler.ts";
import { defaultOptions } from "../src/options.ts";

/** What an API server would have, and everything that this dialect does about it. */
export interface FieldWorld {
  readonly objects: readonly KubeObject[];
  /** Kinds of others that are installed. */
  readonly served: readonly string[];
}

const reconcilers: Readonly<Record<string, AnyReconciler>> = {
  InferenceService: serviceReconciler(defaultOptions),
  ClusterBaseModel: clusterModelReconciler(defaultOptions),
  FineTunedWeight: weightReconciler(defaultOptions),
  AcceleratorClass: classReconciler(),
  BenchmarkJob: benchmarkReconciler(defaultOptions),
} as Record<string, AnyReconciler>;
const modelStore = modelStoreOf(defaultOptions);
const node = { apiVersion: "v1", kind: "Node", metadata: { name: "n1", labels: { zone: "a" } } };

/** All decisions, refusals and wishes of a world as one text: a field that changes it does something. */
export function effectsOf(world: FieldWorld): string {
  const reader = lookInto(world);
  const effects = world.objects.map((object) => {
    const reconciler = reconcilers[object.kind];
    const admission = omeAdmissions(defaultOptions).find(({ kind }) => kind.kind === object.kind);
    const request = { verb: "create", object } as never;
    const stored = modelStore.kinds.some(({ kind }) => kind === object.kind)
      ? modelStore.requestsOf(object as never, node as never)
      : null;
    return {
      decision: reconciler?.decide(object as never, reconciler.observe(object as never, reader) as never, 0) ?? null,
      faults: admission?.judge(request, admission.observe(request, reader) as never).faults ?? null,
      stored,
    };
  });
  return JSON.stringify(effects, withoutKinds).replace(specHash, "load");
}

/** Whether two effects differ in more than the order of keys, which is compared only where the texts are not the same. */
export function isOtherEffect(a: string, b: string): boolean {
  return a !== b && canonicalJson(JSON.parse(a) as Json) !== canonicalJson(JSON.parse(b) as Json);
}

/** The name of the Job of a BenchmarkJob has a hash of the whole spec, which any field would change. */
const specHash = /\bload-[0-9a-z]{10}\b/g;

/** A child carries its kind, with schema and all. */
const withoutKinds = (key: string, value: unknown): unknown =>
  key === "kind" && typeof value === "object" ? (value as Kind).kind : value;

function lookInto({ objects, served }: FieldWorld): Reader {
  const of = (kind: Kind): readonly KubeObject[] => objects.filter((one) => one.kind === kind.kind);
  const reader: Reader = withParts({
    get: (kind, ref) => {
      const found = of(kind).find(
        ({ metadata }) => metadata.name === ref.name && (!kind.namespaced || metadata.namespace === ref.namespace),
      );
      return (found === undefined ? absent : known(found)) as never;
    },
    nearest: (twin, ref) => {
      for (const kind of twin) {
        const fact = reader.get(kind, ref);
        if (fact.is !== "absent") return fact as never;
      }
      return absent;
    },
    list: (kind, { namespace, labels = {} }) =>
      of(kind).filter(
        ({ metadata }) =>
          (namespace === undefined || !kind.namespaced || metadata.namespace === namespace) &&
          Object.entries(labels).every(([key, value]) => metadata.labels?.[key] === value),
      ) as never,
    ask: ({ name }, args) =>
      (name === "isServed" ? known(served.includes((args as { kind: string }).kind)) : absent) as never,
  });
  return reader;
}
