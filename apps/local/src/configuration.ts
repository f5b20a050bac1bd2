import { existsSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { type HostRoot, type ImageRow, ImageTableError, parseImageRows } from "@trivium/node";
import { isObject, type Json, Refusal } from "@trivium/std";
import { parse } from "yaml";
import { type GatewayAccess, gatewayAccessOf } from "./gateway-access.ts";
import type { Home } from "./home.ts";

/** What a person says in `trivium.yaml` in the home. */
export interface Configuration {
  /** How images run here as programs; tried before the known ones. */
  readonly images: readonly ImageRow[];
  /** The only folders that models and pods can name; any folder of this disk where it is left out. */
  readonly folders?: readonly HostRoot[];
  /** What paths of OME's models may begin with; each stands for a folder of the home. */
  readonly modelRoots: readonly string[];
  /** Who may call the gateway. */
  readonly gateway: GatewayAccess;
}

const known = ["images", "folders", "modelRoots", "gateway"];

export const configurationFile = (home: Home): string => join(home.path, "trivium.yaml");

export function readConfiguration(home: Home): Configuration {
  const path = configurationFile(home);
  if (!existsSync(path)) return { images: [], modelRoots: [], gateway: {} };
  const value = parsed(path);
  const unknown = Object.keys(value).filter((key) => !known.includes(key));
  if (unknown.length > 0)
    throw new Refusal(`${path}: unknown field ${unknown.join(", ")} (known: ${known.join(", ")})`);
  try {
    return {
      images: parseImageRows(value.images),
      ...(value.folders === undefined || value.folders === null ? {} : { folders: foldersOf(value, path) }),
      modelRoots: pathsOf(value, "modelRoots", path),
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

/** A folder by its absolute path, without `.`, `..` and slashes at the end; the whole disk is not a folder to share. */
export function parseFolder(text: string): string | undefined {
  if (!text.startsWith("/") || text.includes("\0")) return undefined;
  const path = posix.normalize(text).replace(/\/+$/, "");
  return path === "" ? undefined : path;
}
