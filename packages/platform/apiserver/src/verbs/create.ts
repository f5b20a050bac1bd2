import type { ApiResponse } from "@trivium/kube";
import { matchPath } from "../admission/admission.ts";
import { decodeObject } from "../body/decode.ts";
import type { Call } from "../call.ts";
import { writeOptions } from "../options.ts";
import { refusal } from "../refusals.ts";
import { respond } from "../respond.ts";
import { createObject } from "../storage/write.ts";
import { renderOne, viewOf } from "../view/view.ts";

export async function create(call: Call): Promise<ApiResponse> {
  const view = viewOf(call, "one");
  const options = writeOptions(call, "CreateOptions");
  const object = decodeObject(call, options.validation);
  matchPath(call, object.metadata);
  if (!options.dryRun && (object.metadata.resourceVersion ?? "") !== "") {
    throw refusal(500, undefined, "resourceVersion should not be set on objects to be created");
  }
  const { text } = await createObject(call, object, options);
  return respond(call, 201, renderOne(view, text));
}
