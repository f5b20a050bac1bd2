import type { Kind, KubeObject, ObjectOf, Ref } from "@trivium/kube";
import {
  type AdmissionRequest,
  type AdmissionResult,
  type AnyAdmission,
  type Part,
  partOf,
  partsOf,
  type Reader,
  type Where,
} from "@trivium/reconcile";
import { deepEqual, type Fact } from "@trivium/std";
import type { Caches } from "../caches/caches.ts";
import { factIn, nearestOf } from "../caches/reader-facts.ts";

/** Asks the admissions of all dialects. Whoever serves them, in process or as webhooks, asks here. */
export class Admitter {
  readonly admissions: readonly AnyAdmission[];
  readonly #byKind: ReadonlyMap<string, AnyAdmission>;
  readonly #reader: Reader;

  constructor(admissions: readonly AnyAdmission[], caches: Caches) {
    this.admissions = admissions;
    this.#byKind = new Map(admissions.map((one) => [keyOf(one.kind), one]));
    this.#reader = new CacheReader(caches);
  }

  fill(of: ObjectKind, request: AdmissionRequest): KubeObject {
    const admission = this.#byKind.get(keyOf(of));
    if (admission?.fill === undefined || request.verb === "delete" || !isTouched(request)) return request.object;
    try {
      return admission.fill(request, admission.observe(request, this.#reader));
    } catch {
      // Nobody has checked the object yet. What cannot be read is left as it is, and its schema says why right afterwards.
      return request.object;
    }
  }

  judge(of: ObjectKind, request: AdmissionRequest): AdmissionResult {
    const admission = this.#byKind.get(keyOf(of));
    if (admission?.verbs.includes(request.verb) !== true || !isTouched(request)) return nothingToSay;
    return admission.judge(request, admission.observe(request, this.#reader));
  }
}

interface ObjectKind {
  readonly group: string;
  readonly kind: string;
}

/** Writes of what only the machinery reads, such as finalizers and owners, are nobody's business. */
function isTouched({ object, old }: AdmissionRequest): boolean {
  if (old === undefined) return true;
  return (
    !deepEqual(specOf(object), specOf(old)) ||
    !deepEqual(object.metadata.annotations, old.metadata.annotations) ||
    !deepEqual(object.metadata.labels, old.metadata.labels)
  );
}

const specOf = (object: KubeObject): unknown => (object as { readonly spec?: unknown }).spec;

const nothingToSay: AdmissionResult = { faults: [], warnings: [] };
const keyOf = ({ group, kind }: ObjectKind): string => `${kind}.${group}`;

/** Kinds that admissions look at. */
export const kindsReadBy = (admissions: readonly AnyAdmission[]): Kind[] =>
  admissions.flatMap(({ reads }) => reads as readonly Kind[]);

/** Reads caches and remembers nothing: who asks before storing is not woken afterwards. */
class CacheReader implements Reader {
  readonly #caches: Caches;

  constructor(caches: Caches) {
    this.#caches = caches;
  }

  get<T extends Kind>(kind: T, ref: Ref): Fact<ObjectOf<T>> {
    return factIn(this.#caches.of(kind), ref) as Fact<ObjectOf<T>>;
  }

  nearest<T extends Kind>(twin: readonly T[], ref: Ref): Fact<ObjectOf<T>> {
    return nearestOf(this, twin, ref);
  }

  list<T extends Kind>(kind: T, where: Where): readonly ObjectOf<T>[] {
    return this.#caches.of(kind).list(where) as readonly KubeObject[] as readonly ObjectOf<T>[];
  }

  getPart<T extends Kind, P>(kind: T, ref: Ref, part: Part<ObjectOf<T>, P>): Fact<P> {
    return partOf(this.get(kind, ref), part);
  }

  listParts<T extends Kind, P>(kind: T, where: Where, part: Part<ObjectOf<T>, P>): readonly NonNullable<P>[] {
    return partsOf(this.list(kind, where), part);
  }

  ask(): never {
    throw new Error("an admission must not send queries: writes would wait for the response");
  }
}
