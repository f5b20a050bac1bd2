import { isObject, type JsonObject } from "@trivium/std";
import type { BaseModel } from "../../kinds/base-model.ts";

/** Which fields of the spec were filled from the files, and with what: only those are ever changed again. */
export const discoveredAnnotation = "ome.io/discovered";

/** How large the weights are; nothing where no file or download said so. */
export function weightBytesOf({ metadata }: BaseModel): number | undefined {
  const { weightBytes } = parseBefore(metadata.annotations?.[discoveredAnnotation]);
  return typeof weightBytes === "number" && Number.isSafeInteger(weightBytes) && weightBytes > 0
    ? weightBytes
    : undefined;
}

/** What the annotation says, which anyone can write. */
export function parseBefore(text: string | undefined): JsonObject {
  try {
    const value: unknown = JSON.parse(text ?? "{}");
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
