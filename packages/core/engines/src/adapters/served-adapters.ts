import type { ServedAdapter } from "@trivium/domain";
import type { AdapterEngine } from "./adapter-arguments.ts";

/** Written on the Service of a model: the adapters that requests can name; the gateway reads it. */
export const servedAdaptersAnnotation = "trivium.dev/served-adapters";

/**
 * The annotation of a Service for its adapters, in the order in which the engine loads them. llama.cpp lists no names of adapters, and
 * numbers them instead: `poet=0,style=1`.
 */
export function annotateAdapters(
  names: readonly string[],
  engine: AdapterEngine | "tgi" | undefined,
): Record<string, string> {
  if (names.length === 0) return {};
  const shown = engine === "llama.cpp" ? names.map((name, id) => `${name}=${id}`) : names;
  return { [servedAdaptersAnnotation]: shown.join(",") };
}

/** What cannot be read is left out: anyone can write on a Service. */
export function parseServedAdapters(text: string | undefined): ServedAdapter[] {
  return (text ?? "").split(",").flatMap((part) => {
    const [name = "", id, ...more] = part.trim().split("=");
    if (name === "" || more.length > 0) return [];
    if (id === undefined) return [{ name }];
    return /^\d{1,4}$/.test(id) ? [{ name, id: Number(id) }] : [];
  });
}
