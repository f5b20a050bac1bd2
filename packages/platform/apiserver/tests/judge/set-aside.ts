import { canonicalJson, type Json, type JsonObject } from "@trivium/std";
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
      value.kind === "Table" ? this.#table(value) : path.at(-1) === "metadata" ? this.#metadata(value) : value;
    const result: JsonObject = {};
    for (const [key, each] of Object.entries(plain)) result[this.#text(key)] = this.#value(each, [...path, key]);
    return result;
  }

  #list(list: readonly Json[], path: readonly string[]): Json {
    const items = list.map((each) => this.#value(each, path));
    // The order of managers follows times with a resolution of a second; that of conflicts is a matter of chance on the real server.
    const isUnordered = path.at(-1) === "managedFields" || items.some(isConflict);
    return isUnordered ? items.sort((a, b) => (canonicalJson(a) < canonicalJson(b) ? -1 : 1)) : items;
  }

  /** Versions of lists and bookmarks move with everything that happens on a server; those of objects only with the object. */
  #metadata(metadata: JsonObject): JsonObject {
    const { resourceVersion, uid } = metadata;
    if (typeof resourceVersion !== "string" || !/^[1-9]\d*$/.test(resourceVersion)) return metadata;
    const isOfList = metadata.name === undefined && uid === undefined;
    const number = this.#numberOf(`version of ${String(uid)}`, resourceVersion);
    return { ...metadata, resourceVersion: isOfList ? "<list version>" : `<version ${number}>` };
  }

  #string(text: string, path: readonly string[]): Json {
    const field = path.at(-1) ?? "";
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
      .replaceAll(quotedObject, "Invalid value: <an object>")
      .replace(/(\): )(?:errors:\n)?[\s\S]*field not declared in schema[\s\S]*/, "$1<a field that is not declared>")
      .replace(/errors:((?:\n {2}.*)+)/, (_, lines: string) => `errors:${lines.split("\n").sort().join("\n")}`)
      .replaceAll(printedList, (_, list: string) => `Invalid value: ${this.#printed(list)}`)
      .replaceAll(this.#place.namespace, "{ns}")
      .replaceAll(this.#place.id, "{id}")
      .replaceAll(/:3[0-2]\d{3}\/(TCP|UDP)/g, ":<node port>/$1")
      .replaceAll(serviceAddress, (each) => this.#numbered("address", each))
      .replaceAll(/too old resource version: \d+ \(\d+\)/g, "too old resource version: <old> (<oldest>)")
      .replaceAll(/(ResourceVersion in (?:the )?\w+(?: meta)?:? \(?)\d+/g, "$1<version>")
      .replaceAll(/(resource version: \d+, current: )\d+/g, "$1<version>");
  }

  #printed(list: string): string {
    try {
      return canonicalJson(JSON.parse(list) as Json);
    } catch {
      return list;
    }
  }

  #numbered(what: string, value: string): string {
    return `<${what} ${this.#numberOf(what, value)}>`;
  }

  #numberOf(what: string, value: string): number {
    const key = `${what} ${value}`;
    const number =
      this.#numbers.get(key) ?? [...this.#numbers.keys()].filter((each) => each.startsWith(`${what} `)).length + 1;
    this.#numbers.set(key, number);
    return number;
  }

  #learnGenerated(body: Json): void {
    const metadata = isRecord(body) && isRecord(body.metadata) ? body.metadata : {};
    const { name, generateName } = metadata;
    if (typeof name !== "string" || typeof generateName !== "string" || this.#generated.has(name)) return;
    const start = generateName.slice(0, 58);
    if (!name.startsWith(start) || name.length !== start.length + 5) return;
    this.#generated.set(name, `${start}<random ${this.#generated.size + 1}>`);
  }

  /** Only the first table of a watch says what its columns are; in the others whatever looks like an age is one. */
  #table(table: JsonObject): JsonObject {
    const columns = (table.columnDefinitions as JsonObject[] | null | undefined) ?? [];
    const isAge = columns.map(({ name, type }) => ageColumns.has(String(name)) || type === "date");
    const rows = (table.rows as JsonObject[] | null | undefined) ?? [];
    return {
      ...table,
      rows: rows.map((row) => ({
        ...row,
        cells: (row.cells as Json[]).map((cell, at) => ((isAge[at] ?? true) && isAgeText(cell) ? "<age>" : cell)),
      })),
    };
  }
}

const uid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
/** A patch that does not fit is shown with the object it was tried on, which on a real server may be an older state. */
const quotedObject = /Invalid value: "\{(?:[^"\\]|\\.)*\}"/g;
const printedList = /Invalid value: (\[\{.*\}\])(?=: )/g;
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
const isConflict = (item: Json): boolean => isRecord(item) && item.reason === "FieldManagerConflict";

/** What every namespace has from its first day. On the real side the suite puts it there, so its content is no server's word. */
function isFurniture(value: JsonObject): boolean {
  const metadata = isRecord(value.metadata) ? value.metadata : {};
  if (metadata.uid === undefined || metadata.namespace === undefined) return false;
  if (metadata.name === "kube-root-ca.crt") return true;
  return (
    metadata.name === "default" && Object.keys(value).every((key) => ["apiVersion", "kind", "metadata"].includes(key))
  );
}
