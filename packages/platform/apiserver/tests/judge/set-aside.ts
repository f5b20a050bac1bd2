import type { Json, JsonObject } from "@trivium/std";
import type { Answer, Place } from "./run-sequence.ts";

/** An answer in which everything that a server makes up is replaced by a word that says only what it is. */
export interface Comparable {
  readonly status: number;
  readonly headers: JsonObject;
  readonly body: Json;
  readonly events?: Json;
}

/**
 * Sets aside what two servers cannot agree on: identifiers, times, versions, addresses. A value is numbered by the step and
 * order it is first seen in, so that two answers are still only equal where the same relations hold between their values: the
 * version after a write that changed nothing must be the version before it, on both.
 */
export class SetAside {
  readonly #numbers = new Map<string, number>();
  readonly #generated = new Map<string, string>();
  readonly #place: Place;

  constructor(place: Place) {
    this.#place = place;
  }

  answer(answer: Answer): Comparable {
    this.#learnGenerated(answer.body);
    return {
      status: answer.status,
      headers: this.#headers(answer.headers),
      body: this.#value(answer.body, []),
      ...(answer.events === undefined ? {} : { events: this.#value(answer.events as unknown as Json, []) }),
    };
  }

  #headers(headers: Answer["headers"]): JsonObject {
    const kept: JsonObject = {};
    for (const name of ["content-type", "warning", "retry-after", "location", "www-authenticate"]) {
      const value = headers[name];
      if (value === undefined) continue;
      kept[name] = typeof value === "string" ? this.#text(value) : value.map((each) => this.#text(each)).join(", ");
    }
    return kept;
  }

  /** `path` holds the field names from the root; items of lists add nothing. */
  #value(value: Json, path: readonly string[]): Json {
    if (typeof value === "string") return this.#string(value, path);
    if (typeof value === "number") return this.#number(value, path);
    if (value === null || typeof value !== "object") return value;
    if (Array.isArray(value)) return this.#list(value, path);
    if (isFurniture(value)) return { metadata: { name: (value.metadata as JsonObject).name as Json } };
    const plain =
      value.kind === "Table" ? this.#table(value) : path.at(-1) === "metadata" ? listVersionAside(value) : value;
    const result: JsonObject = {};
    for (const [key, each] of Object.entries(plain)) result[key] = this.#value(each, [...path, key]);
    return result;
  }

  #list(list: readonly Json[], path: readonly string[]): Json {
    const items = list.map((each) => this.#value(each, path));
    // Their order follows their times, which have a resolution of a second.
    return path.at(-1) === "managedFields" ? items.sort((a, b) => (textOf(a) < textOf(b) ? -1 : 1)) : items;
  }

  #string(text: string, path: readonly string[]): Json {
    const field = path.at(-1) ?? "";
    if (field === "resourceVersion") return /^[1-9]\d*$/.test(text) ? this.#numbered("version", text) : text;
    if (field === "continue" && path.at(-2) === "metadata") return text === "" ? "" : "<continue>";
    if (timeFields.has(field) && isTime(text)) return "<time>";
    return this.#text(text);
  }

  #number(value: number, path: readonly string[]): Json {
    const field = path.at(-1);
    if ((field === "nodePort" || field === "healthCheckNodePort") && value >= 30000 && value <= 32767)
      return "<node port>";
    return value;
  }

  #text(text: string): string {
    let result = text.replaceAll(uid, (each) => this.#numbered("uid", each));
    for (const [name, word] of this.#generated) result = result.replaceAll(name, word);
    return result
      .replaceAll(this.#place.namespace, "{ns}")
      .replaceAll(this.#place.id, "{id}")
      .replaceAll(serviceAddress, (each) => this.#numbered("address", each))
      .replaceAll(/too old resource version: \d+ \(\d+\)/g, "too old resource version: <old> (<oldest>)")
      .replaceAll(
        /(ResourceVersion in \w+(?: \w+)?: )(\d+)/g,
        (_, words, each) => words + this.#numbered("version", each),
      );
  }

  #numbered(what: string, value: string): string {
    const key = `${what} ${value}`;
    const number =
      this.#numbers.get(key) ?? [...this.#numbers.keys()].filter((each) => each.startsWith(`${what} `)).length + 1;
    this.#numbers.set(key, number);
    return `<${what} ${number}>`;
  }

  #learnGenerated(body: Json): void {
    const metadata = isRecord(body) && isRecord(body.metadata) ? body.metadata : {};
    const { name, generateName } = metadata;
    if (typeof name !== "string" || typeof generateName !== "string" || !name.startsWith(generateName)) return;
    if (name.length !== generateName.length + 5 || this.#generated.has(name)) return;
    this.#generated.set(name, `${generateName}<random ${this.#generated.size + 1}>`);
  }

  #table(table: JsonObject): JsonObject {
    const columns = (table.columnDefinitions as JsonObject[] | null | undefined) ?? [];
    const isAge = columns.map(({ name, type }) => ageColumns.has(String(name)) || type === "date");
    const rows = (table.rows as JsonObject[] | null | undefined) ?? [];
    return {
      ...table,
      rows: rows.map((row) => ({
        ...row,
        cells: (row.cells as Json[]).map((cell, at) => (isAge[at] && isAgeText(cell) ? "<age>" : cell)),
      })),
    };
  }
}

const uid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const serviceAddress = /\b10\.96\.\d+\.\d+\b/g;
const timeFields = new Set([
  "creationTimestamp",
  "deletionTimestamp",
  "time",
  "lastTransitionTime",
  "lastUpdateTime",
  "lastProbeTime",
]);
const ageColumns = new Set(["Age", "Last Seen", "First Seen", "Created At"]);

const isTime = (text: string): boolean => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text);
const isAgeText = (cell: Json): boolean => typeof cell === "string" && (/^\d+[smh]/.test(cell) || isTime(cell));
const isRecord = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const textOf = (value: Json): string => JSON.stringify(value);

/** Versions of lists and bookmarks move with everything that happens on a server; those of objects only with the object. */
function listVersionAside(metadata: JsonObject): JsonObject {
  const { resourceVersion } = metadata;
  const isOfList = metadata.name === undefined && metadata.uid === undefined;
  if (!isOfList || typeof resourceVersion !== "string" || resourceVersion === "") return metadata;
  return { ...metadata, resourceVersion: "<list version>" };
}

/** What every namespace has from its first day. On the real side the suite puts it there, so its content is no server's word. */
function isFurniture(value: JsonObject): boolean {
  const metadata = isRecord(value.metadata) ? value.metadata : {};
  if (metadata.uid === undefined || metadata.namespace === undefined) return false;
  if (metadata.name === "kube-root-ca.crt") return true;
  return (
    metadata.name === "default" && Object.keys(value).every((key) => ["apiVersion", "kind", "metadata"].includes(key))
  );
}
