import { getOwn } from "@trivium/std";
import type { Schema } from "../schema.ts";

/** Where the `fieldPath` of a rule points, in the form of error paths; undefined where it points nowhere. */
export function pathOfField(fieldPath: string, schema: Schema): string | undefined {
  let path = "";
  let at: Schema | undefined = schema;
  let rest = fieldPath.trim();
  if (rest === "") return undefined;
  while (rest !== "") {
    const step: RegExpExecArray | null = /^(?:\.([^.[\]']+)|\['((?:[^'\\]|\\.)*)'\])/.exec(rest);
    if (step === null || at === undefined) return undefined;
    const name = step[1] ?? (step[2] as string).replace(/\\(.)/g, "$1");
    if (at.properties !== undefined) {
      path = path === "" ? name : `${path}.${name}`;
      at = getOwn(at.properties, name);
      if (at === undefined) return undefined;
    } else if (typeof at.additionalProperties === "object") {
      path = `${path}[${name}]`;
      at = at.additionalProperties;
    } else return undefined;
    rest = rest.slice(step[0].length);
  }
  return path;
}
