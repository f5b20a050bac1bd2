import { deepEqual, type Json, type JsonObject } from "@trivium/std";
import { rowFor } from "./deliberate.ts";
import type { Answer, Place } from "./run-sequence.ts";
import type { Sequence, Step } from "./sequence.ts";
import { type Comparable, SetAside } from "./set-aside.ts";

/** One place at which the two servers do not say the same. */
export interface Difference {
  readonly step: number;
  /** `status`, `headers.warning`, `body.spec.replicas`, `events[0].type`. */
  readonly at: string;
  readonly real: Json | undefined;
  readonly embedded: Json | undefined;
  /** The row of the table of differences on purpose that speaks of it. */
  readonly row?: string;
}

export interface Answers {
  readonly real: readonly Answer[];
  readonly embedded: readonly Answer[];
}

/** Every difference between the two runs of a sequence, those that are meant marked with their row. */
export function compareRuns(sequence: Sequence, { real, embedded }: Answers, place: Place): Difference[] {
  const [realSide, embeddedSide] = [new SetAside(place), new SetAside(place)];
  return sequence.steps.flatMap((step, at) => {
    const [a, b] = [real[at], embedded[at]];
    if (a === undefined || b === undefined) return [];
    const found = differencesOf(realSide.answer(a), embeddedSide.answer(b));
    return found.map((each) => ({ step: at + 1, ...each, ...rowOf(step, { step: at + 1, ...each }) }));
  });
}

function rowOf(step: Step, difference: Omit<Difference, "row">): { row?: string } {
  const { at } = difference;
  const meant = step.is === "wait" ? undefined : step.differs;
  const covers = (place: string): boolean => at === place || at.startsWith(`${place}.`) || at.startsWith(`${place}[`);
  if (meant?.at.some(covers)) return { row: meant.row };
  const row = rowFor(difference);
  return row === undefined ? {} : { row };
}

type Found = Omit<Difference, "step" | "row">;

function differencesOf(real: Comparable, embedded: Comparable): Found[] {
  const found: Found[] = [];
  walk(real as unknown as JsonObject, embedded as unknown as JsonObject, "", found);
  return found;
}

function walk(real: Json | undefined, embedded: Json | undefined, at: string, found: Found[]): void {
  if (deepEqual(real as Json, embedded as Json)) return;
  if (isRecord(real) && isRecord(embedded)) {
    for (const key of new Set([...Object.keys(real), ...Object.keys(embedded)]))
      walk(real[key], embedded[key], at === "" ? key : `${at}.${key}`, found);
  } else if (Array.isArray(real) && Array.isArray(embedded)) {
    for (let index = 0; index < Math.max(real.length, embedded.length); index += 1)
      walk(real[index], embedded[index], `${at}[${index}]`, found);
  } else found.push({ at, real, embedded });
}

const isRecord = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
