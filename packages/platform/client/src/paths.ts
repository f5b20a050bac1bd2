import { ApiError, type Kind, type KubeObject, type Ref } from "@trivium/kube";

/** The path of all objects of a kind, in one namespace or in all of them. */
export function collectionPath(kind: Kind, namespace?: string): string {
  const root = kind.group === "" ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`;
  if (!kind.namespaced || namespace === undefined) return `${root}/${kind.plural}`;
  return `${root}/namespaces/${segment(kind, namespace)}/${kind.plural}`;
}

export function objectPath(kind: Kind, ref: Ref, subresource?: string): string {
  const path = `${collectionPath(kind, namespaceOf(kind, ref))}/${segment(kind, ref.name)}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}

/** Where an object is created: its own namespace, which a namespaced object must name. */
export function creationPath(kind: Kind, object: KubeObject): string {
  const { name, namespace } = object.metadata;
  return collectionPath(kind, namespaceOf(kind, { name: name ?? "", namespace }));
}

export function refOf(kind: Kind, object: KubeObject): Ref {
  const { name = "", namespace } = object.metadata;
  return kind.namespaced ? { namespace, name } : { name };
}

/** A query string with the values that are set, or nothing. */
export function query(values: Readonly<Record<string, string | number | boolean | undefined>>): string {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(values)) {
    if (value !== undefined && value !== "") search.set(key, String(value));
  }
  return search.size === 0 ? "" : `?${search}`;
}

function namespaceOf(kind: Kind, ref: Ref): string | undefined {
  if (!kind.namespaced) return undefined;
  if (ref.namespace) return ref.namespace;
  throw refusal(`${kind.kind} "${ref.name}" needs a namespace`);
}

/** An empty or dotted segment would name another resource than the caller meant. */
function segment(kind: Kind, text: string): string {
  if (text === "" || text === "." || text === "..") throw refusal(`"${text}" is not a valid name of a ${kind.kind}`);
  return encodeURIComponent(text);
}

function refusal(message: string): ApiError {
  return new ApiError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message,
    reason: "BadRequest",
    code: 400,
  });
}
