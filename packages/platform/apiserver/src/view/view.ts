import type { AnyObject, ListMeta } from "@trivium/kube";
import { getOwn, type Instant } from "@trivium/std";
import type { Call } from "../call.ts";
import { badRequest, notAcceptable } from "../refusals.ts";
import type { Resource } from "../resource.ts";
import { rowOf, type TableInclude, tableHead } from "./table.ts";

/** How one caller sees objects of one resource: whole, as metadata, or as rows of a table. */
export interface View {
  readonly as: "object" | "partial" | "table";
  readonly resource: Resource;
  readonly metaVersion: "v1" | "v1beta1";
  readonly include: TableInclude;
  /** Asked for each row: a watch goes on for long, and ages with it. */
  now(): Instant;
  /** Equal for views that show every object the same; events are written once for each. */
  readonly key: string;
}

const includes: Readonly<Record<string, TableInclude>> = {
  "": "Metadata",
  Metadata: "Metadata",
  Object: "Object",
  None: "None",
};

export function viewOf(call: Call, shown: "one" | "list" | "watch"): View {
  const { form, resource, backend } = call;
  if (form.as === "partial" && shown === "list") {
    throw notAcceptable(
      `you requested PartialObjectMetadata, but the requested object is a list (*${resource.listKind})`,
    );
  }
  if (form.as === "partial-list" && shown !== "list") {
    throw notAcceptable(
      `you requested PartialObjectMetadataList, but the requested object is not a list (*${resource.kind})`,
    );
  }
  const wanted = form.as === "table" ? (call.query.get("includeObject") ?? "") : "";
  const include = getOwn(includes, wanted);
  if (include === undefined) {
    throw badRequest(
      `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(wanted)}: must be 'Metadata', 'Object', 'None', or empty`,
    );
  }
  const as = form.as === "partial-list" ? "partial" : form.as;
  const key = `${resource.group}/${resource.version}/${as}/${form.metaVersion}/${include}`;
  return { as, resource, metaVersion: form.metaVersion, include, now: backend.now, key };
}

const metaApiVersion = (view: View): string => `meta.k8s.io/${view.metaVersion}`;

/** JSON text of one object, from its whole JSON text. */
export function renderOne(view: View, text: string): string {
  if (view.as === "object") return text;
  const object = JSON.parse(text) as AnyObject;
  if (view.as === "partial") return JSON.stringify(partial(view, object));
  const { resourceVersion } = object.metadata;
  return `${tableHead(view.resource, metaApiVersion(view), resourceVersion === undefined ? {} : { resourceVersion })}${row(view, object)}]}`;
}

/** JSON text of a list, from the whole JSON texts of its items, which are not parsed unless they must be. */
export function renderList(view: View, texts: readonly string[], meta: ListMeta): string {
  if (view.as === "table") {
    const rows = texts.map((text) => row(view, JSON.parse(text) as AnyObject));
    return `${tableHead(view.resource, metaApiVersion(view), meta)}${rows.join(",")}]}`;
  }
  const { group, version, listKind, origin } = view.resource;
  const isPartial = view.as === "partial";
  const apiVersion = isPartial ? metaApiVersion(view) : group === "" ? version : `${group}/${version}`;
  const items = isPartial ? texts.map((text) => JSON.stringify(partial(view, JSON.parse(text) as AnyObject))) : texts;
  const kind = isPartial ? "PartialObjectMetadataList" : listKind;
  // Lists of custom resources always say where they go on, and metadata alone says nothing of an empty list.
  const head = origin === "custom" && !isPartial ? { continue: "", ...meta } : meta;
  const shown = isPartial && items.length === 0 ? "null" : `[${items.join(",")}]`;
  return `{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},"metadata":${JSON.stringify(head)},"items":${shown}}`;
}

/** Inside a watch only the first table says what its columns are. */
export function renderEventObject(view: View, text: string, isFirst: boolean): string {
  if (view.as !== "table" || isFirst) return renderOne(view, text);
  const object = JSON.parse(text) as AnyObject;
  const { resourceVersion = "" } = object.metadata;
  const meta = JSON.stringify({ resourceVersion });
  return `{"kind":"Table","apiVersion":"${metaApiVersion(view)}","metadata":${meta},"columnDefinitions":null,"rows":[${row(view, object)}]}`;
}

/** A bookmark has no object: in a table its row is empty. */
export function renderBookmark(view: View, metadata: BookmarkMeta): string {
  const { group, version, kind, columns } = view.resource;
  const apiVersion = group === "" ? version : `${group}/${version}`;
  if (view.as === "object") return JSON.stringify({ kind, apiVersion, metadata });
  const object = { kind: "PartialObjectMetadata", apiVersion: metaApiVersion(view), metadata };
  if (view.as === "partial") return JSON.stringify(object);
  const { resourceVersion } = metadata;
  const rows = [
    { cells: columns.map((_, index) => (index === 0 ? "" : null)), object: view.include === "None" ? null : object },
  ];
  return JSON.stringify({
    kind: "Table",
    apiVersion: metaApiVersion(view),
    metadata: { resourceVersion },
    columnDefinitions: null,
    rows,
  });
}

export interface BookmarkMeta {
  readonly resourceVersion: string;
  readonly annotations?: Record<string, string>;
}

function partial(view: View, object: AnyObject): object {
  return { kind: "PartialObjectMetadata", apiVersion: metaApiVersion(view), metadata: object.metadata };
}

function row(view: View, object: AnyObject): string {
  return rowOf(view.resource, object, { now: view.now(), include: view.include, partial: () => partial(view, object) });
}
