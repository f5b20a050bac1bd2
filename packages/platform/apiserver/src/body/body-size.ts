import { isObject, type Json } from "@trivium/std";
import { bodyTooLarge } from "../refusals.ts";
import { hasMoreParts } from "./text-size.ts";

/** Deeper than any object of the API, and shallow enough for every recursion over it. */
const maxDepth = 500;

/**
 * Fields and list items of one object, which is also the number of steps that each pass over it takes: the work grows with
 * them and not with its bytes. The largest CRDs have half as many.
 */
const maxValues = 100_000;

/**
 * Of these, entries of maps and lists that have more than `large` of them. Each costs several times as much as a field of a
 * small object, to find and to keep its owners.
 */
const maxEntries = 20_000;
const large = 1000;

/** `managedFields` can have this many times as much as the object. */
const ownedShare = 2;

/** Why a value cannot be handled, as far as its depth and the number of its parts say. */
export type SizeFault = "too-deep" | "too-many-parts";

/** Walks the value once, and no further than the limits. `managedFields` counts apart: several managers can own each field. */
export function sizeFaultOf(value: Json): SizeFault | undefined {
  const owned = isObject(value) && isObject(value.metadata) ? value.metadata.managedFields : undefined;
  const fault = new SizeWalk(1, owned).faultOf(value);
  return fault ?? (owned === undefined ? undefined : new SizeWalk(ownedShare).faultOf(owned));
}

class SizeWalk {
  private readonly except: Json | undefined;
  private values: number;
  private entries: number;

  constructor(share: number, except?: Json) {
    this.values = share * maxValues;
    this.entries = share * maxEntries;
    this.except = except;
  }

  faultOf(value: Json, levels = maxDepth): SizeFault | undefined {
    if (--this.values < 0) return "too-many-parts";
    if (typeof value !== "object" || value === null || value === this.except) return undefined;
    if (levels === 0) return "too-deep";
    const items = Array.isArray(value) ? value : (Object.values(value) as Json[]);
    if (items.length > large) this.entries -= items.length;
    if (this.entries < 0) return "too-many-parts";
    for (const item of items) {
      const fault = this.faultOf(item, levels - 1);
      if (fault !== undefined) return fault;
    }
    return undefined;
  }
}

/** The same of a text that is not parsed yet, as far as that can be told: a larger one may be caught by `sizeFaultOf`. */
export function refuseText(text: string): void {
  const share = 1 + ownedShare;
  if (hasMoreParts(text, { values: share * maxValues, entries: share * maxEntries, large })) refuseParts();
}

/** The refusal of an object that has too many parts. */
export function refuseParts(): never {
  const limit = `${maxValues} fields and list items, ${maxEntries} of them in maps and lists of more than ${large}`;
  throw bodyTooLarge(`Request entity too large: an object can have ${limit}; split it into several objects`);
}

/** A patch must not make an object larger than any body could be. One that is too large already can still be changed. */
export function refuseGrowth(next: object, live: object | undefined): void {
  const fault = sizeFaultOf(next as Json);
  if (fault === undefined || fault === "too-deep") return;
  if (live === undefined || sizeFaultOf(live as Json) === undefined) refuseParts();
}
