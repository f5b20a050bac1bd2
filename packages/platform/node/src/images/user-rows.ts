import { fromPath } from "./from-path.ts";
import type { ImagePlan, ImageRow, Listening, Parameter } from "./image-row.ts";
import { readProgramCall } from "./program-call.ts";
import { scriptOf } from "./shell-words.ts";

/** What is wrong with a table of images, each with the place it is at. */
export class ImageTableError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join("; "));
    this.name = "ImageTableError";
    this.faults = faults;
  }
}

/**
 * Reads the `images` of trivium.yaml: a list of `match` (a pattern or several), `command`, and optionally `host` and `port` (a flag or
 * a variable by which the program is told where to listen), `env` and `workingDir`. What the container gives as arguments follows the
 * command; a command that the container gives is replaced by it, unless it is a script for a shell.
 */
export function parseImageRows(value: unknown): ImageRow[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new ImageTableError(["images: expected a list"]);
  const faults: string[] = [];
  const rows = value.map((row, index) => rowOf(row, (fault) => faults.push(`images[${index}]${fault}`)));
  if (faults.length > 0) throw new ImageTableError(faults);
  return rows;
}

type Complain = (fault: string) => void;

const keys = ["match", "command", "host", "port", "env", "workingDir"];

function rowOf(row: unknown, complain: Complain): ImageRow {
  const given = isRecord(row) ? row : {};
  if (!isRecord(row)) complain(": expected match and command");
  for (const key of Object.keys(given))
    if (!keys.includes(key)) complain(`.${key}: unknown (known: ${keys.join(", ")})`);
  const match = words(given.match);
  const command = words(given.command);
  if (match.length === 0) complain(".match: expected a pattern such as ghcr.io/acme/*");
  if (command.length === 0) complain(".command: expected a program and its arguments, as a list");
  const env = isRecord(given.env) ? Object.fromEntries(Object.entries(given.env).map(([k, v]) => [k, String(v)])) : {};
  if (given.env !== undefined && !isRecord(given.env)) complain(".env: expected names and values");
  const { workingDir } = given;
  if (workingDir !== undefined && typeof workingDir !== "string") complain(".workingDir: expected a path");
  const listening: Listening = {
    ...(given.host === undefined ? {} : { host: parameterOf(given.host, (fault) => complain(`.host${fault}`)) }),
    ...(given.port === undefined ? {} : { port: portOf(given.port, (fault) => complain(`.port${fault}`)) }),
  };
  const extras = { env, listening, ...(typeof workingDir === "string" ? { workingDir } : {}) };
  return {
    match,
    plan(call, machine): ImagePlan {
      const found = readProgramCall(call, [[command[0] ?? ""]]);
      const args = found.is === "program" ? found.args : call.args;
      const isScript = found.is === "other" && scriptOf(found.argv) !== undefined;
      const plan = fromPath(isScript ? found.argv : [...command, ...args], machine);
      return plan.is === "runs" ? { ...plan, ...extras } : plan;
    },
  };
}

/** `--host`, `{ flag: --host }`, `{ env: HOST }`. */
function parameterOf(value: unknown, complain: Complain): Parameter {
  if (typeof value === "string") return value.startsWith("-") ? { flags: [value] } : { env: value };
  const { flag, env } = isRecord(value) ? value : {};
  const parameter = {
    ...(typeof flag === "string" ? { flags: [flag] } : {}),
    ...(typeof env === "string" ? { env } : {}),
  };
  if (Object.keys(parameter).length === 0) complain(": expected a flag (--host) or a variable (HOST)");
  return parameter;
}

function portOf(value: unknown, complain: Complain): NonNullable<Listening["port"]> {
  const usual = isRecord(value) ? value.default : undefined;
  return { ...parameterOf(value, complain), ...(typeof usual === "number" ? { usual } : {}) };
}

function words(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return Array.isArray(value) && value.every((word) => typeof word === "string") ? value : [];
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
