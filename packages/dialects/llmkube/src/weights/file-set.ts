import { once } from "@trivium/std";
import { hasParentStep } from "./source.ts";

/** The files of a repository that are staged: the primary first, the projector last. */
export type FileSet =
  | { readonly is: "none" }
  | { readonly is: "staged"; readonly files: readonly string[]; readonly primary: string; readonly projector?: string }
  | { readonly is: "faulty"; readonly why: string };

const faulty = (why: string): FileSet => ({ is: "faulty", why });
const shard = /-(\d{5})-of-(\d{5})\.gguf$/;

export interface FileRequest {
  readonly files?: readonly string[] | null | undefined;
  readonly mmproj?: string | null | undefined;
}

export const planFileSet: (spec: FileRequest) => FileSet = once(evaluate);

function evaluate(spec: FileRequest): FileSet {
  const files = spec.files ?? [];
  const projector = spec.mmproj ?? undefined;
  if (files.length === 0) {
    return projector === undefined
      ? { is: "none" }
      : faulty("spec.mmproj requires spec.files; add the model file there");
  }
  const wanted = [...files, ...(projector === undefined ? [] : [projector])];
  for (const name of wanted) {
    const why = faultOf(name);
    if (why !== undefined) return faulty(why);
  }
  const [primary = ""] = files;
  const all = [...new Set([...withSiblings(files), ...(projector === undefined ? [] : [projector])])];
  return { is: "staged", files: all, primary, ...(projector === undefined ? {} : { projector }) };
}

function faultOf(name: string): string | undefined {
  if (name === "") return "spec.files contains an empty name";
  if (name.startsWith("/")) return `spec.files: ${name} must be relative to the repository`;
  if (hasParentStep(name)) return `spec.files: ${name} must not leave the repository`;
  if (/[*?[]/.test(name)) return `spec.files: ${name} is a pattern; list each file`;
  return undefined;
}

/** An engine opens the other parts of a split file by itself, so they have to be there. */
function withSiblings(files: readonly string[]): string[] {
  return files.flatMap((name) => {
    const parts = shard.exec(name);
    const count = Number(parts?.[2] ?? 0);
    if (parts === null || count > 1_000) return [name];
    const prefix = name.slice(0, parts.index);
    const siblings = Array.from({ length: count }, (_, i) => `${prefix}-${pad(i + 1)}-of-${pad(count)}.gguf`);
    return [name, ...siblings];
  });
}

const pad = (number: number): string => String(number).padStart(5, "0");
