import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import type { Loader, Plugin } from "esbuild";

const loaders: Readonly<Record<string, Loader>> = { ".ts": "ts", ".mts": "ts" };

/**
 * Writes characters beyond ASCII as escapes, which mean the same in texts, regular expressions and names. esbuild does so in texts only, and one such
 * character makes V8 keep the whole source of a program in two bytes a character.
 */
export const asciiSources: Plugin = {
  name: "ascii-sources",
  setup({ onLoad }) {
    onLoad({ filter: /\.[cm]?[jt]s$/ }, async ({ path }) => {
      const source = await readFile(path, "utf8");
      const contents = escapeBeyondAscii(source);
      return contents === source ? undefined : { contents, loader: loaders[extname(path)] ?? "js" };
    });
  },
};

export function escapeBeyondAscii(source: string): string {
  // One unit of UTF-16 at a time: half of a pair is written like any other.
  return source.replaceAll(/[^\p{ASCII}]/gv, (character) =>
    [...Array(character.length).keys()]
      .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`)
      .join(""),
  );
}
