import type { AnyObject, Kind } from "@trivium/kube";
import { objectPathOf } from "../../kube/apis.ts";
import { apiPath, getJson } from "../../kube/request.ts";
import type { Edit } from "./edit.ts";

const fieldManager = "trivium-dashboard";

export interface WriteOptions {
  readonly isDryRun: boolean;
  /** Takes fields over that another manager owns. */
  readonly isForced?: boolean;
}

/** Sends an edit: by server-side apply, or whole where a field was removed. Returns the object as the server has it. */
export function writeObject(
  kind: Kind,
  edit: Exclude<Edit, { is: "faulty" }>,
  options: WriteOptions,
): Promise<AnyObject> {
  const { name = "", namespace } = edit.manifest.metadata;
  const query = new URLSearchParams({ fieldManager, fieldValidation: "Strict" });
  if (options.isDryRun) query.set("dryRun", "All");
  if (edit.is === "apply") query.set("force", String(options.isForced === true));
  const path = apiPath(`${objectPathOf(kind, { namespace, name })}?${query}`);
  return getJson<AnyObject>(path, {
    method: edit.is === "apply" ? "PATCH" : "PUT",
    type: edit.is === "apply" ? "application/apply-patch+yaml" : "application/json",
    body: JSON.stringify(edit.manifest),
  });
}
