import type { JsonObject } from "@trivium/std";
import type { Handle } from "../../handle.ts";
import { type Sequence, type Step, sequence } from "../../sequence.ts";

/** A built-in kind: the least that is taken, one with everything in it, and manifests with one thing wrong each. */
export interface Family {
  readonly at: Handle;
  readonly least: JsonObject;
  readonly rich?: JsonObject;
  readonly wrong: Readonly<Record<string, JsonObject>>;
  /** Changes to the rich one, some of them refused. */
  readonly changes?: readonly JsonObject[];
}

export function sequencesOf(name: string, { at, least, rich, wrong, changes }: Family): Sequence[] {
  const id = at.at().includes("{ns}") ? "a" : "{id}";
  const tableOf = (first: Step): Step[] => [first, at.table(id), at.partial(id), at.remove(id)];
  return [
    sequence(`built-in/${name}: least`, ...tableOf(at.create(id, least))),
    ...(rich === undefined ? [] : [sequence(`built-in/${name}: rich`, ...tableOf(at.create(id, rich)))]),
    ...(changes === undefined
      ? []
      : [
          sequence(
            `built-in/${name}: changes`,
            at.create(id, rich ?? least),
            ...changes.map((change) => at.merge(id, change)),
            at.get(id),
            at.remove(id, { gracePeriodSeconds: 0 }),
          ),
        ]),
    ...Object.entries(wrong).map(([what, manifest]) =>
      sequence(`built-in/${name}: wrong ${what}`, at.create(id, manifest)),
    ),
  ];
}
