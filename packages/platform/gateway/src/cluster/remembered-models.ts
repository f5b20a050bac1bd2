import type { Service } from "@trivium/kube";
import { aliasesOf, annotationOf } from "../annotations.ts";

const maxCharacters = 8_000;

/** The names that a Service listed when one of its servers last ran; nothing where none were noted. */
export function rememberedModels(service: Service): readonly string[] | undefined {
  try {
    const names: unknown = JSON.parse(annotationOf(service, "listedModels") ?? "null");
    return Array.isArray(names) ? names.filter((name) => typeof name === "string") : undefined;
  } catch {
    // Somebody else wrote it.
    return undefined;
  }
}

/** What is to stand on a Service so that all names find it. Nothing where its own name and its annotation do. */
export function formatRemembered(service: Service, names: readonly string[]): string | undefined {
  const known = new Set([service.metadata.name, ...aliasesOf(service)]);
  if (names.every((name) => known.has(name))) return undefined;
  let [kept, text] = [names, JSON.stringify(names)];
  while (text.length > maxCharacters) {
    kept = kept.slice(0, Math.floor(kept.length / 2));
    text = JSON.stringify(kept);
  }
  return kept.length === 0 ? undefined : text;
}
