import { readFile } from "node:fs/promises";
import { codeOf, WeightsError } from "../fault.ts";

/** Sections of names and values, as the configuration files of cloud tools are written. */
export type IniFile = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Lines before the first section are left out; so are comments, and settings inside settings (indented lines). */
export function parseIni(text: string): IniFile {
  const file: Record<string, Record<string, string>> = {};
  let section: Record<string, string> | undefined;
  for (const line of text.split(/\r?\n/)) {
    const head = /^\s*\[\s*([^\]]+?)\s*\]/.exec(line)?.[1];
    if (head !== undefined) {
      section = file[head] ?? {};
      file[head] = section;
      continue;
    }
    const match = /^([^\s#;=][^=]*?)\s*=\s*(.*?)\s*$/.exec(line);
    if (match !== null && section !== undefined) section[(match[1] ?? "").toLowerCase()] = match[2] ?? "";
  }
  return file;
}

/** Empty where there is no such file; one that is there and cannot be read is a fault. */
export async function readIni(path: string): Promise<IniFile> {
  try {
    return parseIni(await readFile(path, "utf8"));
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return {};
    throw new WeightsError("refused", "InvalidOption", `${path}: cannot read the file`, { cause: error });
  }
}
