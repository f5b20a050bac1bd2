import type { JsonObject } from "@trivium/std";
import type { Resource } from "../resource.ts";
import { head, kindExtension, metaNames, refTo } from "./definitions.ts";

/** The definition of a resource's lists; `item` names the definition of its objects. */
export function listDefinition(resource: Resource, item: string): JsonObject {
  return {
    description: `${resource.listKind} is a list of ${resource.kind}`,
    type: "object",
    required: ["items"],
    properties: {
      apiVersion: head.apiVersion,
      items: { description: `List of ${resource.plural}`, type: "array", items: refTo(item) },
      kind: head.kind,
      metadata: { description: "Standard list metadata", allOf: [refTo(metaNames.listMeta)] },
    },
    ...kindExtension(resource, resource.listKind),
  };
}
