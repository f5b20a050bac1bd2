import { isObject, type Json } from "@trivium/std";

type Identify = (item: Json) => Json | undefined;

const field =
  (name: string): Identify =>
  (item) =>
    isObject(item) ? item[name] : undefined;

const objectName: Identify = (item) => {
  if (!isObject(item) || !isObject(item.metadata) || typeof item.metadata.name !== "string") return undefined;
  return typeof item.kind === "string" ? `${item.kind} ${item.metadata.name}` : item.metadata.name;
};

/** What the items of a list can be told apart by. A child or a patch of a decision has its object inside. */
const identities: readonly Identify[] = [
  (item) => (isObject(item) && item.object !== undefined ? objectName(item.object) : undefined),
  objectName,
  // The type of an event tells nothing.
  (item) => (isObject(item) && (item.type === "Normal" || item.type === "Warning") ? item.reason : undefined),
  ...["name", "type", "reason", "mountPath", "key", "modelId", "path", "node", "kind", "host"].map(field),
];

/** The name of each item; nothing where the items of a list have no names of their own. */
export function namesOf(list: readonly Json[], like: readonly Json[] = list): string[] | undefined {
  const identify = identities.find((one) => areNames(like.map(one)));
  if (identify === undefined || like.length === 0) return undefined;
  const names = list.map(identify);
  return areNames(names) ? names : undefined;
}

const areNames = (names: readonly (Json | undefined)[]): names is string[] =>
  names.every((name) => typeof name === "string" && name !== "") && new Set(names).size === names.length;
