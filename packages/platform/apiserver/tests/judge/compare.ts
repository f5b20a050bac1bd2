import { canonicalJson, deepEqual, type Json, type JsonObject } from "@trivium/std";
import { repeatedCauses, rowFor } from "./deliberate.ts";
import type { Answer, Place } from "./run-sequence.ts";
import type { Sequence } from "./sequence.ts";
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
    const { answer, repeated } = withoutRepeats(realSide.answer(a));
    const found = [...repeated, ...differencesOf(...withCausesInOrder(answer, embeddedSide.answer(b)))];
    return found.map((each) => {
      const difference = { step: at + 1, ...each };
      const row = rowFor(difference, step, sequence.name);
      return row === undefined ? difference : { ...difference, row };
    });
  });
}

/** The real server checks metadata several times on an update and gives each cause as often. */
function withoutRepeats(answer: Comparable): { answer: Comparable; repeated: Found[] } {
  const details = isRecord(answer.body) && isRecord(answer.body.details) ? answer.body.details : {};
  if (!Array.isArray(details.causes)) return { answer, repeated: [] };
  const causes = [...new Map(details.causes.map((cause) => [canonicalJson(cause), cause])).values()];
  if (causes.length === details.causes.length) return { answer, repeated: [] };
  const body = { ...(answer.body as JsonObject), details: { ...details, causes } };
  return { answer: { ...answer, body }, repeated: [{ at: repeatedCauses, real: details.causes, embedded: causes }] };
}

/** The real server walks the fields of custom resources in an order of chance, so the order of its complaints means nothing. */
function withCausesInOrder(real: Comparable, embedded: Comparable): [Comparable, Comparable] {
  const [causes, others] = [causesOf(real), causesOf(embedded)];
  if (causes === undefined || others === undefined || causes.length !== others.length) return [real, embedded];
  if (!deepEqual([...causes].sort(), [...others].sort())) return [real, embedded];
  const body = { ...(embedded.body as JsonObject), message: (real.body as JsonObject).message as Json };
  return [real, { ...embedded, body: { ...body, details: (real.body as JsonObject).details as Json } }];
}

/** Each cause as text, of a custom resource that was found invalid. */
function causesOf({ body }: Comparable): string[] | undefined {
  const details = isRecord(body) && isRecord(body.details) ? body.details : {};
  const group = String(details.group ?? "");
  const isCustom = group.includes(".") && !group.endsWith("k8s.io");
  return isCustom && Array.isArray(details.causes) ? details.causes.map(canonicalJson) : undefined;
}

type Found = Omit<Difference, "step" | "row">;

function differencesOf(real: Comparable, embedded: Comparable): Found[] {
  // Where the verdict differs, the bodies are of different kinds and comparing them would only hide it.
  if (real.status !== embedded.status) return [{ at: "status", real: outcomeOf(real), embedded: outcomeOf(embedded) }];
  const found: Found[] = [];
  walk(real as unknown as JsonObject, embedded as unknown as JsonObject, "", found);
  return found;
}

function outcomeOf({ status, body }: Comparable): string {
  return isRecord(body) && typeof body.message === "string" ? `${status} ${body.message}` : String(status);
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
