import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type HostRoot, type ImageRow, ImageTableError, parseImageRows } from "@trivium/node";
import { isObject, type Json, parseDuration, Refusal } from "@trivium/std";
import { parse } from "yaml";
import { type GatewayAccess, gatewayAccessOf } from "./gateway/gateway-access.ts";
import type { Home } from "./home.ts";
import { parseFolder } from "./options.ts";

/** What a person says in `trivium.yaml` in the home. */
export interface Configuration {
  /** How images run here as programs; tried before the known ones. */
  readonly images: readonly ImageRow[];
  /** The only folders that models and pods can name; any folder of this disk where it is left out. */
  readonly folders?: readonly HostRoot[];
  /** What paths of OME's models may begin with; each stands for a folder of the home. */
  readonly modelRoots: readonly string[];
  /** How long weights of deleted Models stay on the disk. */
  readonly keepWeightsSeconds: number;
  /** Who may call the gateway. */
  readonly gateway: GatewayAccess;
}

const known = ["images", "folders", "modelRoots", "keepWeights", "gateway"];
/** Long enough to apply a corrected manifest. */
const usualKeep = 10 * 60;

export const configurationFile = (home: Home): string => join(home.path, "trivium.yaml");

export function readConfiguration(home: Home): Configuration {
  const path = configurationFile(home);
  if (!existsSync(path)) return { images: [], modelRoots: [], keepWeightsSeconds: usualKeep, gateway: {} };
  const value = parsed(path);
  const unknown = Object.keys(value).filter((key) => !known.includes(key));
  if (unknown.length > 0)
    throw new Refusal(`${path}: unknown field ${unknown.join(", ")} (known: ${known.join(", ")})`);
  try {
    return {
      images: parseImageRows(value.images),
      ...(value.folders === undefined || value.folders === null ? {} : { folders: foldersOf(value, path) }),
      modelRoots: pathsOf(value, "modelRoots", path),
      keepWeightsSeconds: keepOf(value.keepWeights, path),
      gateway: gatewayAccessOf(value.gateway, path),
    };
  } catch (error) {
    if (error instanceof ImageTableError) throw new Refusal(`${path}: ${error.message}`);
    throw error;
  }
}

function parsed(path: string): { [key: string]: Json } {
  let value: Json;
  try {
    value = (parse(readFileSync(path, "utf8")) ?? {}) as Json;
  } catch (error) {
    throw new Refusal(`cannot read ${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (!isObject(value)) throw new Refusal(`${path}: expected ${known.join(" and ")}`);
  return value;
}

const foldersOf = (all: { [key: string]: Json }, file: string): HostRoot[] =>
  pathsOf(all, "folders", file).map((path) => ({ path }));

function keepOf(value: Json | undefined, file: string): number {
  if (value === undefined || value === null) return usualKeep;
  const duration = typeof value === "string" ? parseDuration(value) : undefined;
  if (duration === undefined || duration < 0)
    throw new Refusal(`${file}: keepWeights must be a duration such as 10m, not ${JSON.stringify(value)}`);
  return duration / 1000;
}

function pathsOf(all: { [key: string]: Json }, key: string, file: string): string[] {
  const value = all[key];
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new Refusal(`${file}: ${key} must be a list of absolute paths`);
  return value.map((text) => {
    const path = typeof text === "string" ? parseFolder(text) : undefined;
    if (path === undefined)
      throw new Refusal(`${file}: ${key} must contain absolute paths, not ${JSON.stringify(text)}`);
    return path;
  });
}
