import { type ApiResponse, isReason } from "@trivium/kube";
import type { Call } from "../call.ts";
import { respond } from "../respond.ts";
import { deleteStored } from "../storage/deletion.ts";
import { textAt } from "../storage/storage.ts";
import { StoreConflict } from "../store/store.ts";
import { selectionOf } from "../view/selection.ts";
import { renderList, viewOf } from "../view/view.ts";
import { deletionOptions } from "./delete.ts";
import { readPage } from "./reading/list.ts";
import { versionOptions } from "./reading/list-options.ts";

/** Deletes every object that a list with the same query would show, and answers with that list. */
export async function deleteCollection(call: Call): Promise<ApiResponse> {
  const { backend, resource } = call;
  const view = viewOf(call, "list");
  const options = deletionOptions(call);
  const selection = selectionOf(resource, call.namespace, call.query);
  const { items, meta } = readPage(call, selection, versionOptions(call, false));
  const deletions = items.map((stored) => deleteStored(backend, resource, stored, options).catch(ignoreGone));
  await Promise.all(deletions);
  const texts = items.map((stored) => textAt(resource, stored));
  return respond(call, 200, renderList(view, texts, meta));
}

/** Someone else was faster. */
function ignoreGone(error: unknown): void {
  if (error instanceof StoreConflict || isReason(error, "NotFound")) return;
  throw error;
}
