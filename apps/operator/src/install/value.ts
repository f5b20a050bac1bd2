import type { Json } from "@trivium/std";
import { stringify } from "yaml";

/** A part of an object that an administrator can set: as an expression of Helm, and as it is without Helm. */
export class Value {
  /** An expression that prints one value as JSON, which is YAML on one line. */
  readonly helm: string;
  readonly concrete: Json;

  constructor(helm: string, concrete: Json) {
    this.helm = helm;
    this.concrete = concrete;
  }
}

/** An object some of whose parts are chosen. */
export type Open = Json | Value | undefined | readonly Open[] | { readonly [key: string]: Open };

/** An object of an installation, and when it is a part of it. */
export interface Part {
  /** The file of the chart that it is in. */
  readonly file: string;
  /** A condition of Helm; always, when left out. */
  readonly when?: Value;
  readonly object: { readonly [key: string]: Open };
}

/** The object with everything chosen. */
export function closeObject(open: Open): Json {
  if (open instanceof Value) return open.concrete;
  if (Array.isArray(open)) return open.map(closeObject);
  if (open === null || typeof open !== "object") return (open as Json | undefined) ?? null;
  const entries = Object.entries(open).filter(([, part]) => part !== undefined);
  return Object.fromEntries(entries.map(([key, part]) => [key, closeObject(part as Open)]));
}

/** The object as a template of Helm. */
export function formatTemplate({ when, object }: Part): string {
  const expressions: string[] = [];
  const marked = (open: Open): Json => {
    if (open instanceof Value) return `@@${expressions.push(open.helm) - 1}@@`;
    if (Array.isArray(open)) return open.map(marked);
    if (open === null || typeof open !== "object") return (open as Json | undefined) ?? null;
    const entries = Object.entries(open).filter(([, part]) => part !== undefined);
    return Object.fromEntries(entries.map(([key, part]) => [key, marked(part as Open)]));
  };
  const text = stringify(marked(object), { aliasDuplicateObjects: false, lineWidth: 0 });
  const filled = text.replace(/(["']?)@@(\d+)@@\1/g, (_, __, at: string) => `{{ ${expressions[Number(at)]} }}`);
  return when === undefined ? `---\n${filled}` : `{{- if ${when.helm} }}\n---\n${filled}{{- end }}\n`;
}
