import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Right } from "./right.ts";

/** Rights that are granted although no story uses them: the right, or its verb or resource, and where it is used. */
export type OtherUses = Readonly<Record<string, string>>;

export interface Differences {
  /** Granted, used by no story and named by no reason. */
  readonly unused: readonly Right[];
  /** Used and not granted. */
  readonly missing: readonly Right[];
  /** Reasons for rights that are not granted, or that a story uses. */
  readonly needless: readonly string[];
}

export function findDifferences(
  { granted, used }: { readonly granted: ReadonlySet<Right>; readonly used: ReadonlySet<Right> },
  otherUses: OtherUses,
): Differences {
  const idle = [...granted].filter((right) => !used.has(right));
  const named = Object.keys(otherUses);
  return {
    unused: idle.filter((right) => !named.includes(right)).sort(),
    missing: [...used].filter((right) => !granted.has(right)).sort(),
    needless: named.filter((right) => !idle.includes(right)).sort(),
  };
}

/** Reasons that name no file which uses the right, or none that exists in one of the folders. */
export const findUnproven = (otherUses: OtherUses, folders: readonly string[]): string[] =>
  Object.entries(otherUses).flatMap(([right, reason]) => {
    const named = reason.match(/[\w./-]+\.ts\b/g) ?? [];
    const isProven = named.length > 0 && named.every((file) => folders.some((each) => existsSync(join(each, file))));
    return isProven ? [] : [`${right}: ${reason}`];
  });
