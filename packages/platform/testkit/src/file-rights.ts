import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { playAgain } from "./play-again.ts";

const isInside = "TRIVIUM_TEST_FILE_RIGHTS";

/**
 * Whether this process is held to the permissions of files. Root is not: then the test is played again in a process of root's without
 * that privilege, and there is nothing left to do here.
 */
export async function isHeldToFileRights(t: TestContext, file: string): Promise<boolean> {
  if (process.getuid?.() !== 0 || process.env[isInside] !== undefined) return true;
  const played = await playAgain(file, {
    through: (command) => ["setpriv", "--bounding-set", "-dac_override,-dac_read_search", ...command],
    name: t.name,
    environment: { [isInside]: "yes" },
  });
  assert.ok(played.isPassed, played.output);
  return false;
}
