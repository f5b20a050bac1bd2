import { statSync } from "node:fs";

/**
 * Throws when a file is no longer the one it was: somebody has removed or replaced it under the running server. Writes to
 * the open file would still succeed, and be lost with the process.
 */
export type AssertPresent = () => void;

export function watchPresence(path: string): AssertPresent {
  const own = statSync(path);
  return () => {
    const now = statSync(path, { throwIfNoEntry: false });
    if (now?.ino === own.ino && now.dev === own.dev) return;
    throw new Error(`${path} was removed or replaced while in use; stop the server, and restore the file if possible`);
  };
}
