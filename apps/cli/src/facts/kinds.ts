import type { ServingDialect } from "@trivium/domain";
import { type AnyObject, apiVersionOf, bareKind, builtInRows, groupResourceOf, type Kind } from "@trivium/kube";

/** Kinds of other projects that reconcilers read and write. */
export function thirdPartyKinds(dialects: readonly ServingDialect[]): Kind[] {
  const kinds = dialects
    .flatMap(({ reconcilers }) => reconcilers)
    .flatMap(({ reads, writes }) => [...(reads as readonly Kind[]), ...(writes as readonly Kind[])]);
  const own = new Set(dialects.map(({ group }) => group));
  const others = kinds.filter((kind) => !own.has(kind.group) && !isBuiltIn(kind));
  return [...new Map(others.map((kind) => [groupResourceOf(kind), bareKind(kind)])).values()];
}

/** Kinds of Kubernetes itself. */
const ofKubernetes: readonly Kind[] = builtInRows.map(({ group, version, kind, resource, scope }) => ({
  group,
  version,
  kind,
  plural: resource,
  namespaced: scope === "Namespaced",
}));

const builtIn = new Set(ofKubernetes.map(groupResourceOf));

const isBuiltIn = (kind: Kind): boolean => builtIn.has(groupResourceOf(kind));

/** The kind of a manifest: of a dialect, of Kubernetes, or of a project that reconcilers know. */
export function kindOf(
  { apiVersion, kind: name }: Pick<AnyObject, "apiVersion" | "kind">,
  dialects: readonly ServingDialect[],
  others: readonly Kind[] = thirdPartyKinds(dialects),
): Kind | undefined {
  const known: readonly Kind[] = [...dialects.flatMap(({ kinds }) => kinds), ...ofKubernetes];
  return [...known, ...others].find((kind) => kind.kind === name && apiVersionOf(kind) === apiVersion);
}
