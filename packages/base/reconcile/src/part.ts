import { type Fact, known } from "@trivium/std";
import type { Reader } from "./shape.ts";

/**
 * What counts of an object that changes often for other reasons: a heartbeat, a report about other objects. Pure; plain data, which is
 * compared. Parts of one kind with the same name are the same: the name includes all that `of` depends on.
 */
export interface Part<O, P> {
  readonly name: string;
  of(object: O): P;
}

export const partOf = <O, P>(fact: Fact<O>, part: Part<O, P>): Fact<P> =>
  fact.is === "known" ? known(part.of(fact.value)) : fact;

/** Objects without the part are left out. */
export const partsOf = <O, P>(objects: readonly O[], part: Part<O, P>): readonly NonNullable<P>[] =>
  objects.map((object) => part.of(object)).filter((found) => found !== undefined && found !== null);

/** A reader of whole objects, whose callers are not triggered by changes. */
export function withParts(reader: Omit<Reader, "getPart" | "listParts">): Reader {
  return {
    ...reader,
    getPart: (kind, ref, part) => partOf(reader.get(kind, ref), part),
    listParts: (kind, where, part) => partsOf(reader.list(kind, where), part),
  };
}
