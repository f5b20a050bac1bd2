import type { ApiResponse, ListMeta } from "@trivium/kube";
import type { Call } from "../../call.ts";
import { badRequest, expired, tooLargeResourceVersion } from "../../refusals.ts";
import { storeName } from "../../registry.ts";
import { respond } from "../../respond.ts";
import { keyText, type Overlay } from "../../storage/snapshots.ts";
import { textAt } from "../../storage/storage.ts";
import type { Stored } from "../../store/store.ts";
import { type Selection, selectionOf } from "../../view/selection.ts";
import { renderList, viewOf } from "../../view/view.ts";
import { type ContinueToken, formatContinue, parseContinue } from "./continue-token.ts";
import { type VersionOptions, versionOptions } from "./list-options.ts";

export async function list(call: Call): Promise<ApiResponse> {
  const view = viewOf(call, "list");
  const selection = selectionOf(call.resource, call.namespace, call.query);
  const request = versionOptions(call, false);
  const page = readPage(call, selection, request);
  await call.backend.storage.store.settled();
  const texts = page.items.map((stored) => textAt(call.resource, stored));
  return respond(call, 200, renderList(view, texts, page.meta));
}

export interface Page {
  readonly items: readonly Stored[];
  readonly meta: ListMeta;
}

/** One page of a list, read in one go. What it shows may not be on the disk yet. */
export function readPage(call: Call, selection: Selection, request: VersionOptions): Page {
  const { storage } = call.backend;
  const token = request.continue === "" ? undefined : parseContinue(request.continue);
  if (token !== undefined && (request.resourceVersion ?? 0) > 0)
    throw badRequest("specifying resource version is not allowed when using continue");
  const revision = token?.revision ?? exactRevision(request) ?? storage.newest;
  if ((request.resourceVersion ?? 0) > storage.newest)
    throw tooLargeResourceVersion(request.resourceVersion as number, storage.newest);
  const all = candidates(call, selection, { revision, token });
  // Any version is good enough for "0", and the cache that has one gives all of it.
  const limit = request.resourceVersion === 0 && token === undefined ? 0 : request.limit;
  const items: Stored[] = [];
  let more = 0;
  for (const stored of all) {
    if (!selection.isAll && !selection.matches(stored)) continue;
    if (limit === 0 || items.length < limit) {
      items.push(stored);
      continue;
    }
    more++;
    // How many are left is said only where it costs nothing to know.
    if (!selection.isAll) break;
  }
  const meta: ListMeta = { resourceVersion: String(revision) };
  if (more === 0) return { items, meta };
  storage.snapshots.open(storeName(call.resource), revision);
  meta.continue = formatContinue({ revision, after: (items.at(-1) as Stored).key });
  if (selection.isAll) meta.remainingItemCount = more;
  return { items, meta };
}

const exactRevision = (request: VersionOptions): number | undefined =>
  request.match === "Exact" || (request.match === "" && request.limit > 0 && (request.resourceVersion ?? 0) > 0)
    ? request.resourceVersion
    : undefined;

interface At {
  readonly revision: number;
  readonly token: ContinueToken | undefined;
}

/** Objects in order, as they were at the revision asked for. */
function candidates(call: Call, selection: Selection, at: At): Iterable<Stored> {
  const { storage } = call.backend;
  const resource = storeName(call.resource);
  const namespace = call.resource.namespaced ? selection.namespace : "";
  const options = { namespace, ...(at.token === undefined ? {} : { after: at.token.after }) };
  if (
    selection.name !== undefined &&
    namespace !== undefined &&
    at.token === undefined &&
    at.revision === storage.newest
  ) {
    const one = storage.get(call.resource, namespace, selection.name);
    return one === undefined ? [] : [one];
  }
  const current = storage.store.list(resource, options);
  if (at.revision === storage.newest) return current;
  const overlay = storage.snapshots.find(resource, at.revision);
  if (overlay !== undefined) return overlay.size === 0 ? current : undo(current, overlay, options);
  if (at.revision >= storage.lastChange(resource) && at.revision >= storage.store.oldestRevision) return current;
  throw tooOld(at);
}

function tooOld(at: At) {
  if (at.token === undefined) return expired(`The resourceVersion for the provided list is too old.`);
  return expired(
    "The provided continue parameter is too old to display a consistent list result. You must start a new list without the continue parameter.",
  );
}

function undo(
  current: Iterable<Stored>,
  overlay: Overlay,
  options: { namespace: string | undefined; after?: ContinueToken["after"] },
): Stored[] {
  const items = [...current].filter((stored) => !overlay.has(keyText(stored.key)));
  for (const { before, key } of overlay.values()) {
    if (before === undefined || (options.namespace !== undefined && key.namespace !== options.namespace)) continue;
    if (options.after === undefined || compare(key, options.after) > 0) items.push(before);
  }
  return items.sort((a, b) => compare(a.key, b.key));
}

type Place = { readonly namespace: string; readonly name: string };
const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
/** The order of the store: by the path `namespace/name`. */
const compare = (a: Place, b: Place): number => order(`${a.namespace}/`, `${b.namespace}/`) || order(a.name, b.name);
