import type { AnyObject } from "@trivium/kube";
import type { Backend, Call } from "../call.ts";
import type { Resource } from "../resource.ts";
import { createObject } from "../storage/write.ts";
import { negotiate } from "../view/forms.ts";

/** Creates an object on behalf of the server itself, through the same counter as everybody's. */
export async function createInside(backend: Backend, resource: Resource, object: AnyObject): Promise<void> {
  const { namespace = "" } = object.metadata;
  const call: Call = {
    backend,
    resource,
    namespace,
    name: "",
    subresource: "",
    identity: { user: "system:apiserver", groups: ["system:masters"] },
    request: { method: "POST", path: "/", headers: {} },
    query: new URLSearchParams(),
    form: negotiate(undefined),
    warnings: [],
  };
  await createObject(call, object, { dryRun: false, manager: "kube-apiserver" });
}
