import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { KubeObject } from "@trivium/kube";
import { type Json, parseTime } from "@trivium/std";
import { parse } from "yaml";
import type { Case } from "../laws/law.ts";
import { applyPatch } from "./patch.ts";

/** A saved world with the whole decision that it must lead to, whichever way the file has it. */
export interface SavedCase<O extends KubeObject = KubeObject, Observed = unknown> extends Case<O, Observed> {
  readonly path: string;
  readonly about: string;
  /** The case that this one differs from; none for a case with a whole world and a whole decision. */
  readonly base: SavedCase | undefined;
  /** What differs in the decision from that of the base. */
  readonly expect: Json | undefined;
  /** The whole decision. Nothing in a case that was just written down and has not been decided yet. */
  readonly decision: Json | undefined;
}

/** Either a whole world with a whole decision, or what differs from those of another case of the folder. */
interface CaseFile {
  readonly about: string;
  readonly now?: string;
  readonly object?: Json;
  readonly observed?: Json;
  readonly decision?: Json;
  readonly base?: string;
  readonly change?: Json;
  readonly expect?: Json;
}

/** Every `*.yaml` of a folder, each after its base. */
export function readCases<O extends KubeObject, Observed>(folder: string): SavedCase<O, Observed>[] {
  const names = readdirSync(folder)
    .filter((file) => file.endsWith(".yaml"))
    .map((file) => file.replace(/\.yaml$/, ""));
  const files = new Map(names.sort().map((name) => [name, readFileSync(join(folder, `${name}.yaml`), "utf8")]));
  return readCaseTexts(files, folder) as SavedCase<O, Observed>[];
}

/** The same for files that were read before, by the names of their cases. */
export function readCaseTexts(files: ReadonlyMap<string, string>, folder = ""): SavedCase[] {
  const read = new Map<string, SavedCase>();
  const open = (name: string, followers: readonly string[]): SavedCase => {
    const known = read.get(name);
    if (known !== undefined) return known;
    const path = join(folder, `${name}.yaml`);
    const refuse = (why: string): never => {
      throw new Error(`${path}: ${why}`);
    };
    if (followers.includes(name)) refuse(`its base leads back to it: ${[...followers, name].join(" -> ")}`);
    const text = files.get(name);
    if (text === undefined) return refuse(`base of ${followers.at(-1)} not found`);
    const file = parse(text) as CaseFile;
    const base = file.base === undefined ? undefined : open(file.base, [...followers, name]);
    try {
      read.set(name, expand({ name, path, file, base }));
    } catch (error) {
      refuse(error instanceof Error ? error.message : String(error));
    }
    return read.get(name) as SavedCase;
  };
  for (const name of files.keys()) open(name, []);
  return [...read.values()];
}

interface Found {
  readonly name: string;
  readonly path: string;
  readonly file: CaseFile;
  readonly base: SavedCase | undefined;
}

function expand({ name, path, file, base }: Found): SavedCase {
  refuseUnknownKeys(file);
  const { about } = file;
  const world = base === undefined ? file : applyPatch(worldOf(base), file.change ?? {});
  const { now, object, observed } = world as unknown as { now: string; object: KubeObject; observed: unknown };
  const instant = parseTime(now);
  if (instant === undefined) throw new Error('"now" must be a time');
  const { expect } = file;
  const saved = { name, path, about, base, expect, object, observed, now: instant };
  // Only when somebody reads it: what a case expects can be wrong until it is updated.
  const decision = { get: () => (base === undefined ? file.decision : expectedOf(base, { expect, path })) };
  return Object.defineProperty(saved, "decision", decision) as SavedCase;
}

const shapes = {
  golden: ["about", "now", "object", "observed", "decision"],
  change: ["about", "base", "change", "expect"],
};

function refuseUnknownKeys(file: CaseFile): void {
  const allowed = file.base === undefined ? shapes.golden : shapes.change;
  const unknown = Object.keys(file).filter((key) => !allowed.includes(key));
  if (unknown.length > 0) throw new Error(`${unknown.join(", ")}: a case has ${allowed.join(", ")}`);
}

/** What a change applies to. */
export function worldOf({ now, object, observed }: Case): Json {
  return { now: new Date(now).toISOString().replace(".000Z", "Z"), object, observed } as unknown as Json;
}

/** What a decision must be, given that of the base. */
export function expectedFrom(base: Json, { expect, path }: Pick<SavedCase, "expect" | "path">): Json {
  try {
    return applyPatch(base, expect ?? {});
  } catch (error) {
    throw new Error(`${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function expectedOf({ decision }: SavedCase, saved: Pick<SavedCase, "expect" | "path">): Json | undefined {
  if (decision === undefined) return undefined;
  const expected = expectedFrom(decision, saved);
  // Who reads the decision takes it as an example: any digest will do in the place of a mark.
  const standIn = (_: string, base: string) => `"${"0".repeat(base.length)}"`;
  return JSON.parse(JSON.stringify(expected).replaceAll(/"\$changed:([0-9a-f]+)"/g, standIn)) as Json;
}
