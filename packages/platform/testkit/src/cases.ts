import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { KubeObject } from "@trivium/kube";
import { formatTime, type Json, parseTime } from "@trivium/std";
import { parse, stringify } from "yaml";
import type { Case, LawfulReconciler } from "./laws/law.ts";

/** A saved world with the whole decision that it must lead to. */
export interface SavedCase<O extends KubeObject = KubeObject, Observed = unknown> extends Case<O, Observed> {
  readonly path: string;
  /** Nothing in a case that was just written down and has not been decided yet. */
  readonly decision: Json | undefined;
}

interface CaseFile {
  readonly about: string;
  readonly now: string;
  readonly object: KubeObject;
  readonly observed: unknown;
  readonly decision?: Json;
}

/** Every `*.yaml` of a folder. */
export function readCases<O extends KubeObject, Observed>(folder: string): SavedCase<O, Observed>[] {
  const files = readdirSync(folder).filter((name) => name.endsWith(".yaml"));
  return files.sort().map((name) => {
    const path = join(folder, name);
    const { now, object, observed, decision } = parse(readFileSync(path, "utf8")) as CaseFile;
    const instant = parseTime(now);
    if (instant === undefined) throw new Error(`${path}: "now" must be a time`);
    return {
      name: name.replace(/\.yaml$/, ""),
      path,
      object: object as O,
      observed: observed as Observed,
      now: instant,
      decision,
    };
  });
}

/** What the reconciler decides now, in the form that a case file has it. */
export function decisionOf<O extends KubeObject, Observed>(
  reconciler: LawfulReconciler<O, Observed>,
  { object, observed, now }: Case<O, Observed>,
): Json {
  const decision = reconciler.decide(object, observed, now) as unknown as Record<string, unknown>;
  const children = (decision.children as { kind: { kind: string }; object: unknown }[] | undefined)?.map(
    ({ kind: _, ...child }) => child,
  );
  const plain = { ...decision, ...(children === undefined ? {} : { children }) };
  return JSON.parse(JSON.stringify(plain)) as Json;
}

/** Writes the decision into the file: with `UPDATE_CASES=1`, to be read in the diff. */
export function saveDecision(saved: SavedCase, decision: Json): void {
  const { about } = parse(readFileSync(saved.path, "utf8")) as CaseFile;
  const { object, observed, now } = saved;
  const file = { about, now: formatTime(now), object, observed, decision };
  writeFileSync(saved.path, stringify(file, { lineWidth: 140, aliasDuplicateObjects: false }));
}
