import type { Kind } from "@trivium/kube";
import { apiPath, getJson } from "./request.ts";

interface ResourceList {
  readonly resources: readonly { readonly name: string; readonly kind: string; readonly namespaced: boolean }[];
}

const lists = new Map<string, Promise<ResourceList>>();

/** The kind that a manifest names, as this API serves it; nothing where it does not. */
export async function findKind(apiVersion: string, kind: string): Promise<Kind | undefined> {
  const [version = "", group = ""] = apiVersion.split("/").reverse();
  const path = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  const list = lists.get(path) ?? getJson<ResourceList>(apiPath(path));
  lists.set(path, list);
  const { resources } = await list.catch(() => {
    lists.delete(path);
    return { resources: [] };
  });
  const found = resources.find((one) => one.kind === kind && !one.name.includes("/"));
  return found === undefined ? undefined : { group, version, kind, plural: found.name, namespaced: found.namespaced };
}
