import { rootOf } from "@trivium/std";
import type { Source } from "./source.ts";

/** Whether a local source lies under one of the folders that the operator allows. Others are never refused here. */
export function isAllowed(source: Source, roots: readonly string[]): boolean {
  return source.is !== "local" || rootOf(source.path, roots) !== undefined;
}
