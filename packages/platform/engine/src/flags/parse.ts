import { nearestName } from "./nearest.ts";
import { type FlagKey, type FlagRow, flagRows } from "./table.ts";

/** A wrong command line: told to the user as it is, the program ends with 1. */
export class FlagError extends Error {}

export type FlagValue = string | number | boolean;

export interface ParsedFlags {
  readonly values: ReadonlyMap<FlagKey, readonly FlagValue[]>;
  readonly warnings: readonly string[];
}

interface NamedRow {
  readonly key: FlagKey;
  readonly row: FlagRow;
  readonly isNegated: boolean;
}

const rowsByName: ReadonlyMap<string, NamedRow> = new Map(
  (Object.entries(flagRows) as [FlagKey, FlagRow][]).flatMap(([key, row]) => [
    ...row.names.map((name): [string, NamedRow] => [name, { key, row, isNegated: false }]),
    ...(row.negated ?? []).map((name): [string, NamedRow] => [name, { key, row, isNegated: true }]),
  ]),
);

/** The command line first; a variable counts only for a flag that is not on it, as llama-server has it. */
export function parseFlags(args: readonly string[], environment: Readonly<NodeJS.ProcessEnv>): ParsedFlags {
  const values = new Map<FlagKey, FlagValue[]>();
  readArguments(args, values);
  readEnvironment(environment, values);
  const warnings: string[] = [];
  for (const [key, given] of values) {
    const row: FlagRow = flagRows[key];
    const name = row.names.find((one) => one.startsWith("--")) ?? row.names[0];
    if (row.refused !== undefined) throw new FlagError(`${name} is not supported by this engine: ${row.refused}`);
    if (row.idle === true) warnings.push(`${name} has no effect on this engine`);
    const idle = given.find((value) => row.idleValues?.includes(String(value)));
    if (idle !== undefined) warnings.push(`${name} ${idle} has no effect on this engine`);
  }
  return { values, warnings };
}

function readArguments(args: readonly string[], values: Map<FlagKey, FlagValue[]>): void {
  for (let at = 0; at < args.length; at++) {
    const given = args[at]!;
    const name = given.startsWith("--") ? given.replaceAll("_", "-") : given;
    const found = rowsByName.get(name);
    if (found === undefined) throw new FlagError(`invalid argument: ${given}${suggestion(name)}`);
    const { key, row, isNegated } = found;
    if (row.kind === "switch") {
      values.set(key, [!isNegated]);
      continue;
    }
    // "-fa" alone is the old form of "-fa on".
    const next = args[at + 1];
    if (row.kind === "on-off" && (next === undefined || next.startsWith("-"))) {
      values.set(key, ["on"]);
      continue;
    }
    if (next === undefined) throw new FlagError(`expected value for argument: ${given}`);
    at++;
    const value = readValue(row, next, given);
    values.set(key, row.many ? [...(values.get(key) ?? []), value] : [value]);
  }
}

function readEnvironment(environment: Readonly<NodeJS.ProcessEnv>, values: Map<FlagKey, FlagValue[]>): void {
  for (const [key, row] of Object.entries(flagRows) as [FlagKey, FlagRow][]) {
    if (row.env === undefined || values.has(key)) continue;
    const given = environment[row.env];
    if (given !== undefined && given !== "") values.set(key, [readValue(row, given, row.env)]);
    else if (row.negated !== undefined && environment[row.env.replace("LLAMA_ARG_", "LLAMA_ARG_NO_")] !== undefined)
      values.set(key, [false]);
  }
}

function readValue(row: FlagRow, text: string, name: string): FlagValue {
  switch (row.kind) {
    case "switch":
      return switchValue(text, name);
    case "integer":
      if (!/^[+-]?\d+$/.test(text)) throw new FlagError(`${name} needs a whole number, got "${text}"`);
      return Number(text);
    case "number":
      if (text.trim() === "" || !Number.isFinite(Number(text)))
        throw new FlagError(`${name} needs a number, got "${text}"`);
      return Number(text);
    case "layers":
      if (text === "auto") return -1;
      if (text === "all") return 9999;
      if (!/^-?\d+$/.test(text)) throw new FlagError(`${name} needs a number, "auto" or "all", got "${text}"`);
      return Number(text);
    case "on-off":
      if (text === "auto") return text;
      return switchValue(text, name) ? "on" : "off";
    case "text":
      if (row.oneOf !== undefined && !row.oneOf.includes(text))
        throw new FlagError(`${name} needs one of ${row.oneOf.join(", ")}, got "${text}"`);
      return text;
  }
}

function switchValue(text: string, name: string): boolean {
  if (["on", "enabled", "true", "1"].includes(text)) return true;
  if (["off", "disabled", "false", "0"].includes(text)) return false;
  throw new FlagError(`${name} needs "on" or "off", got "${text}"`);
}

function suggestion(name: string): string {
  const nearest = nearestName(name, rowsByName.keys());
  return nearest === undefined ? "" : ` (did you mean ${nearest}?)`;
}
