import { dirname, normalize } from "node:path";
import type { SourceFile } from "../architecture.ts";
import type { Fault } from "./rules.ts";

/** What the entry of a package exports, and which other files use it. */
interface Entry {
  readonly path: string;
  readonly package: string;
  readonly names: readonly string[];
}

/** An entry exports what others use and no more: what only its own package uses is imported from the file that has it. */
export function findUnusedExports(files: readonly SourceFile[]): Fault[] {
  const texts = new Map(files.map(({ path, text }) => [path, text]));
  const entries = files.flatMap(({ path }): Entry[] => {
    const [, name] = /^packages\/[^/]+\/([^/]+)\/src\/index\.ts$/.exec(path) ?? [];
    return name === undefined ? [] : [{ path, package: name, names: exportedNames(path, texts) }];
  });
  return entries.flatMap((entry) => {
    const used = usedNames(entry, files);
    const unused = entry.names.filter((name) => !used.has(name));
    if (unused.length === 0) return [];
    const what = `exports what no other package imports: ${unused.join(", ")}; remove it from the entry`;
    return [{ rule: "export", place: entry.path, what }];
  });
}

const declared =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|const|let|class|interface|type|enum) (\w+)/gm;
const listed = /^export (?:type )?\{([^}]*)\}/gm;
const all = /^export \* from "(\.[^"]+)"/gm;
const namespace = /^export (?:type )?\* as (\w+) from/gm;

/** The names that a file exports, those of files that it exports as a whole among them. */
export function exportedNames(path: string, texts: ReadonlyMap<string, string>): string[] {
  const text = texts.get(path) ?? "";
  const below = [...text.matchAll(all)].flatMap(([, target = ""]) =>
    exportedNames(normalize(`${dirname(path)}/${target}`), texts),
  );
  const names = [...text.matchAll(declared), ...text.matchAll(namespace)].map(([, name = ""]) => name);
  return [...new Set([...below, ...names, ...[...text.matchAll(listed)].flatMap(([, list = ""]) => namesIn(list, 1))])];
}

/** `type A, b as c`: the names on one side of each `as`. */
function namesIn(list: string, side: 0 | 1): string[] {
  return list.split(",").flatMap((part) => {
    const words = part
      .replace(/^\s*type\s/, "")
      .trim()
      .split(/\s+as\s+/);
    const name = words[side] ?? words[0] ?? "";
    return name === "" ? [] : [name];
  });
}

function usedNames({ package: name, path }: Entry, files: readonly SourceFile[]): Set<string> {
  const folder = path.replace(/src\/index\.ts$/, "");
  const clause = new RegExp(`(?:import|export)\\s+(?:type\\s+)?\\{([^}]*)\\}\\s+from\\s+"@trivium/${name}"`, "g");
  const whole = new RegExp(`\\bimport\\("@trivium/${name}"\\)|\\* as \\w+ from "@trivium/${name}"`);
  const others = files.filter((file) => !file.path.startsWith(folder) && file.text.includes(`"@trivium/${name}"`));
  return new Set(
    others.flatMap(({ text }) => [
      ...[...text.matchAll(clause)].flatMap(([, list = ""]) => namesIn(list, 0)),
      // A module that is taken as a whole: each word can be one of its names.
      ...(whole.test(text) ? (text.match(/\w+/g) ?? []) : []),
    ]),
  );
}
