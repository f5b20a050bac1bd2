import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type HostRoot, type ImageRow, ImageTableError, parseImageRows } from "@trivium/node";
import { isObject, type Json, Refusal } from "@trivium/std";
import { parse } from "yaml";
import type { Home } from "./home.ts";

/** What a person says in `trivium.yaml` in the home. */
export interface Configuration {
  /** How images run here as programs; tried before the known ones. */
  readonly images: readonly ImageRow[];
  /** Folders that Models and pods may name. */
  readonly folders: readonly HostRoot[];
}

const known = ["images", "folders"];

export function readConfiguration(home: Home): Configuration {
  const path = join(home.path, "trivium.yaml");
  if (!existsSync(path)) return { images: [], folders: [] };
  const value = parsed(path);
  const unknown = Object.keys(value).filter((key) => !known.includes(key));
  if (unknown.length > 0)
    throw new Refusal(`${path}: ${unknown.join(", ")} is not known here (known: ${known.join(", ")})`);
  try {
    return { images: parseImageRows(value.images), folders: foldersOf(value.folders, path) };
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
    throw new Refusal(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (!isObject(value)) throw new Refusal(`${path}: expected ${known.join(" and ")}`);
  return value;
}

function foldersOf(value: Json | undefined, path: string): HostRoot[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new Refusal(`${path}: folders must be a list of absolute paths`);
  return value.map((folder) => {
    if (typeof folder !== "string" || !folder.startsWith("/"))
      throw new Refusal(`${path}: folders must be absolute paths, not ${JSON.stringify(folder)}`);
    return { path: folder };
  });
}
