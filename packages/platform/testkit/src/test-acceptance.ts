import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type AcceptanceList, readAcceptance } from "./acceptance.ts";

export interface AcceptancePage extends Omit<AcceptanceList, "page"> {
  /** The top of the repository. */
  readonly root: string;
  /** The page, from there. */
  readonly page: string;
  /** Files that the page has to name, from there. */
  readonly stories?: readonly string[];
}

/** The tests of a page's acceptance tables: no row is missing or silent, and everything that is named is there. */
export function testAcceptance({ root, page, stories = [], ...list }: AcceptancePage): void {
  const { wanted, listed, silent, places } = readAcceptance({ ...list, page: readFileSync(join(root, page), "utf8") });
  const isMissing = (place: string): boolean => !existsSync(join(root, place));

  test("every row of the acceptance list is accounted for, once and in order", () => {
    assert.deepEqual(listed, wanted);
  });

  test("every row names what covers it, or says why nothing does", () => {
    assert.deepEqual(silent, []);
  });

  test("everything that is named exists, and every story is named", () => {
    assert.deepEqual(places.filter(isMissing), []);
    assert.deepEqual(
      stories.filter((story) => !places.includes(story)),
      [],
    );
  });
}
