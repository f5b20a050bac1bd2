/**
 * Refuses phrases that a reader has to guess at, in string literals of the product and in pages.
 *
 *   node scripts/check-language.ts [--list] [folder …]
 *
 * `--list` prints each literal that reads like a message instead, for a look from top to bottom.
 */
import { globSync, readFileSync } from "node:fs";
import { findPhrases } from "./language/phrases.ts";
import { stringLiterals } from "./language/string-literals.ts";

interface Text {
  readonly place: string;
  readonly text: string;
}

/** Text of a message has a space between words; what has none is a name. */
const readsLikeMessage = (text: string): boolean => /[a-z…,;:)] [a-z…("]/i.test(text);

export const literalsOf = (file: string, source: string): Text[] =>
  stringLiterals(source)
    .filter(({ text }) => readsLikeMessage(text))
    .map(({ line, text }) => ({ place: `${file}:${line}`, text }));

export function linesOf(file: string, source: string): Text[] {
  let isCode = false;
  return source.split("\n").flatMap((text, index) => {
    const isFence = text.trimStart().startsWith("```");
    if (isFence) isCode = !isCode;
    return isCode || isFence ? [] : [{ place: `${file}:${index + 1}`, text: text.replace(/`[^`]*`/g, "") }];
  });
}

const isProduct = (file: string): boolean =>
  /^(?:packages|apps)\/.*\/src\/.*\.ts$/.test(file) &&
  !/\.(?:test|cases|cluster)\.ts$|\/generated\/|\/platform\/testkit\//.test(file);

const isPage = (file: string): boolean => file.endsWith(".md") && !/\/cases\/|^examples\//.test(file);

export function textsOf(files: readonly string[], read: (file: string) => string): Text[] {
  return files.flatMap((file) =>
    isProduct(file) ? literalsOf(file, read(file)) : isPage(file) ? linesOf(file, read(file)) : [],
  );
}

const isForeign = (name: string): boolean => name === "node_modules" || name === ".git";

const filesIn = (folders: readonly string[]): string[] =>
  (folders.length > 0 ? folders : ["."]).flatMap((folder) =>
    globSync(`${folder}/**/*.{ts,md}`, { exclude: (path) => path.split("/").some(isForeign) }).sort(),
  );

if (import.meta.main) {
  const args = process.argv.slice(2);
  const folders = args.filter((arg) => !arg.startsWith("--"));
  const texts = textsOf(filesIn(folders), (file) => readFileSync(file, "utf8"));
  if (args.includes("--list")) {
    for (const { place, text } of texts) if (!place.includes(".md:")) console.log(`${place}: ${JSON.stringify(text)}`);
  } else {
    const findings = texts.flatMap(({ place, text }) =>
      findPhrases(text, place).map((finding) => ({ place, ...finding })),
    );
    for (const { place, phrase, instead } of findings) console.error(`${place}: “${phrase}”; write: ${instead}`);
    if (findings.length > 0) console.error(`${findings.length} phrases to replace`);
    process.exitCode = findings.length > 0 ? 1 : 0;
  }
}
