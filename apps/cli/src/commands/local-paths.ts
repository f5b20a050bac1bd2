import { existsSync } from "node:fs";
import { resolve } from "node:path";

/**
 * `inspect models/chat.gguf`: a path of this machine wins over an ID of the hub that reads the same. The user who types it can read it, so no
 * further permission is needed.
 */
export function withLocalPaths(words: readonly string[]): readonly string[] {
  const [command, ...rest] = words;
  if (command !== "inspect") return words;
  const at = rest.findIndex((word, index) => isPath(word) && !takesValue(rest[index - 1]));
  if (at === -1) return words;
  const path = resolve(rest[at] ?? "");
  return [command, ...rest.with(at, path), "--allow-root", path];
}

const isPath = (word: string): boolean => !word.startsWith("-") && !word.includes("://") && existsSync(word);

const takesValue = (word = ""): boolean => ["--include", "--allow-root", "--pvc-root", "--platform"].includes(word);
