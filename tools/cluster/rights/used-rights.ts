import type { ApiRequest, ApiResponse, Kind, OwnerReference, Transport } from "@trivium/kube";
import type { PolicyRule } from "@trivium/runtime";
import { type Right, rightOf, rightsOf } from "./right.ts";

/** The same transport, which adds every right that an accepted request needed to the set. */
export function recordRights(transport: Transport, used: Set<Right>, owners: readonly Kind[]): Transport {
  return async (request) => {
    const response = await transport(request);
    for (const right of rightsNeeded(request, response, owners)) used.add(right);
    return response;
  };
}

/** What an API server checks before it answers this request; nothing for requests without a resource, or refused ones. */
export function rightsNeeded(
  { method, path, body }: ApiRequest,
  { status }: Pick<ApiResponse, "status">,
  owners: readonly Kind[],
): Right[] {
  const place = parsePlace(path);
  if (place === undefined || status >= 400) return [];
  const { group, resource, hasName, isWatch } = place;
  const reading = hasName ? "get" : isWatch ? "watch" : "list";
  const verb = { POST: "create", PUT: "update", PATCH: "patch", DELETE: hasName ? "delete" : "deletecollection" }[
    method as string
  ];
  const rights = [rightOf(verb ?? reading, group, resource)];
  // An apply that creates needs the right to create as well.
  if (method === "PATCH" && status === 201) rights.push(rightOf("create", group, resource));
  return [
    ...rights,
    ...rightsGranted(body),
    ...ownersNamed(body, owners).map((kind) => rightOf("update", kind.group, `${kind.plural}/finalizers`)),
  ];
}

interface Place {
  readonly group: string;
  /** With the subresource behind a slash. */
  readonly resource: string;
  readonly hasName: boolean;
  readonly isWatch: boolean;
}

function parsePlace(path: string): Place | undefined {
  const url = new URL(path, "https://kubernetes");
  const [, group = "", rest] = /^\/api(?:s\/([^/]+))?\/v[^/]+\/(.+)$/.exec(url.pathname) ?? [];
  if (rest === undefined) return undefined;
  const parts = rest.split("/");
  const [plural = "", name, subresource] = parts[0] === "namespaces" && parts.length > 2 ? parts.slice(2) : parts;
  return {
    group,
    resource: subresource === undefined ? plural : `${plural}/${subresource}`,
    hasName: name !== undefined,
    isWatch: url.searchParams.get("watch") === "true" || url.searchParams.get("watch") === "1",
  };
}

/** A Role can only be written with rights that the writer has. */
function rightsGranted(body: string | undefined): Right[] {
  if (body?.includes('"Role"') !== true) return [];
  const { kind, rules = [] } = JSON.parse(body) as { kind?: string; rules?: readonly PolicyRule[] };
  return kind === "Role" ? [...rightsOf(rules)] : [];
}

/**
 * A client that keeps an owner from being deleted before its child needs a right on the owner, where the admission
 * plugin OwnerReferencesPermissionEnforcement runs. That check is not a request of its own, so it is read from the body.
 */
function ownersNamed(body: string | undefined, owners: readonly Kind[]): Kind[] {
  if (body?.includes('"blockOwnerDeletion"') !== true) return [];
  const { metadata } = JSON.parse(body) as { metadata?: { ownerReferences?: readonly OwnerReference[] } };
  const named = (metadata?.ownerReferences ?? []).filter(({ blockOwnerDeletion }) => blockOwnerDeletion === true);
  return owners.filter(({ group, version, kind }) =>
    named.some((owner) => owner.kind === kind && owner.apiVersion === (group === "" ? version : `${group}/${version}`)),
  );
}
