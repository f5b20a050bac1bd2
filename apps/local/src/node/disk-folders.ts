import { readdirSync } from "node:fs";
import type { HostRoot } from "@trivium/node";

/** What a system keeps about itself: no place for models. */
const ofTheSystem = new Set(["boot", "dev", "etc", "lost+found", "proc", "run", "sys"]);

/**
 * The folders of this disk, for those who named none in `trivium.yaml`: pods run as the user who started them, so a manifest reads
 * nothing that its author could not read anyway.
 */
export const diskFolders = (): HostRoot[] =>
  readdirSync("/", { withFileTypes: true })
    .filter((entry) => (entry.isDirectory() || entry.isSymbolicLink()) && !ofTheSystem.has(entry.name))
    .map(({ name }) => ({ path: `/${name}` }));
