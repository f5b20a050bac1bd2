import type { api } from "@trivium/kube";
import type { Attributes } from "./attributes.ts";

/** Whether one rule of a role allows what is asked for. */
export function allows(rule: api.PolicyRule, asked: Attributes): boolean {
  if (!includes(rule.verbs, asked.verb)) return false;
  if (asked.is === "path") return (rule.nonResourceURLs ?? []).some((pattern) => matchesPath(pattern, asked.path));
  return (
    includes(rule.apiGroups, asked.group) &&
    (rule.resources ?? []).some((one) => matchesResource(one, asked.resource, asked.subresource)) &&
    matchesName(rule.resourceNames, asked.name)
  );
}

const includes = (values: readonly string[] | undefined, value: string): boolean =>
  values?.some((one) => one === "*" || one === value) ?? false;

/** `pods`, `pods/log`, `*` for everything, and `*` with a subresource for that of every resource. */
function matchesResource(pattern: string, resource: string, subresource: string): boolean {
  if (pattern === "*") return true;
  if (subresource === "") return pattern === resource;
  return pattern === `${resource}/${subresource}` || pattern === `*/${subresource}`;
}

const matchesName = (names: readonly string[] | undefined, name: string): boolean =>
  names === undefined || names.length === 0 || names.includes(name);

/** A star stands at the end only. */
export function matchesPath(pattern: string, path: string): boolean {
  if (pattern === "*" || pattern === path) return true;
  return pattern.endsWith("*") && path.startsWith(pattern.replace(/\*+$/, ""));
}
