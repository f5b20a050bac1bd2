import { readFileSync } from "node:fs";
import { Refusal } from "@trivium/std";

/** API keys from a file, one a line with `#` for comments, and from a variable. A file without a key would let everybody in. */
export function readKeys(file: string | undefined, variable: string | undefined): string[] {
  const keys = (variable ?? "").split(/\s+/).filter((key) => key !== "");
  if (file === undefined) return keys;
  const lines = contentOf(file)
    .split("\n")
    .map((line) => line.trim());
  const found = lines.filter((line) => line !== "" && !line.startsWith("#"));
  if (found.length === 0) throw new Refusal(`--api-key-file ${file} contains no key; add one key per line`);
  if (found.some((key) => /\s/.test(key)))
    throw new Refusal(`--api-key-file ${file} has a key with spaces; put one key on each line`);
  return [...keys, ...found];
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new Refusal(
      `cannot read --api-key-file ${file} (${(error as NodeJS.ErrnoException).code}); check the path and its permissions`,
    );
  }
}
