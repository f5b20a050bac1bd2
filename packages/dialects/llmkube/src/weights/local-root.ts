import { describeRefusedPath } from "@trivium/engines";
import { rootOf } from "@trivium/std";
import type { Source } from "./source.ts";

/** Whether a local source lies under one of the folders that the operator allows. Others are never refused here. */
export const isAllowed = (source: Source, roots: readonly string[]): boolean => refusalOf(source, roots) === undefined;

/** Why a local source cannot be used, and what to do; nothing where it can. */
export function refusalOf(source: Source, roots: readonly string[]): string | undefined {
  if (source.is !== "local" || rootOf(source.path, roots) !== undefined) return undefined;
  return describeRefusedPath(source.path, roots);
}
