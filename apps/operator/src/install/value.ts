import type { Json } from "@trivium/std";
import { stringify } from "yaml";

/** A part of an object that an administrator can set: as an expression of Helm, and as it is without Helm. */
export class Value {
  /** An expression that prints one value as JSON, which is YAML on one line. */
  readonly helm: string;
  readonly concrete: Json;
  /** Leaves the key out where this is false. */
  readonly when: Value | undefined;

  constructor(helm: string, concrete: Json, when?: Value) {
    this.helm = helm;
    this.concrete = concrete;
    this.when = when;
  }

  /** Whether the key belongs into the object. */
  get isKept(): boolean {
    return this.when === undefined || this.when.concrete === true;
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
  const entries = Object.entries(open).filter(
    ([, part]) => part !== undefined && !(part instanceof Value && !part.isKept),
  );
  return Object.fromEntries(entries.map(([key, part]) => [key, closeObject(part as Open)]));
}

/** The object as a template of Helm. */
export function formatTemplate({ when, object }: Part): string {
  const values: Value[] = [];
  const marked = (open: Open): Json => {
    if (open instanceof Value) return `@@${values.push(open) - 1}@@`;
    if (Array.isArray(open)) return open.map(marked);
    if (open === null || typeof open !== "object") return (open as Json | undefined) ?? null;
    const entries = Object.entries(open).filter(([, part]) => part !== undefined);
    return Object.fromEntries(entries.map(([key, part]) => [key, marked(part as Open)]));
  };
  const text = stringify(marked(object), { aliasDuplicateObjects: false, lineWidth: 0 });
  const filled = text.replace(/^.*?(["']?)@@(\d+)@@\1.*$/gm, (line) => fillLine(line, values));
  return when === undefined ? `---\n${filled}` : `{{- if ${when.helm} }}\n---\n${filled}{{- end }}\n`;
}

/** A line of YAML with the expressions of its values, and around it the condition of the first that has one. */
function fillLine(line: string, values: readonly Value[]): string {
  let when: Value | undefined;
  const filled = line.replace(/(["']?)@@(\d+)@@\1/g, (_, __, at: string) => {
    const value = values[Number(at)] as Value;
    when ??= value.when;
    return `{{ ${value.helm} }}`;
  });
  return when === undefined ? filled : `{{- if ${when.helm} }}\n${filled}\n{{- end }}`;
}
