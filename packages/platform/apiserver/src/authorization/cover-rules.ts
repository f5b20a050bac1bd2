import type { api } from "@trivium/kube";
import { matchesPath } from "./match-rule.ts";

type Rule = api.PolicyRule;

/** The parts of `wanted` that no rule in `held` contains, each with one verb, group, resource and name. */
export function uncoveredRules(held: readonly Rule[], wanted: readonly Rule[]): Rule[] {
  return wanted.flatMap(breakDown).filter((part) => !held.some((rule) => covers(rule, part)));
}

function breakDown(rule: Rule): Rule[] {
  const { verbs = [], apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  const parts: Rule[] = [];
  for (const verb of verbs) {
    for (const url of nonResourceURLs) parts.push({ nonResourceURLs: [url], verbs: [verb] });
    for (const group of apiGroups)
      for (const resource of resources) {
        const part = { apiGroups: [group], resources: [resource], verbs: [verb] };
        if (resourceNames.length === 0) parts.push(part);
        else for (const name of resourceNames) parts.push({ ...part, resourceNames: [name] });
      }
  }
  return parts;
}

/** Whether a rule contains another of one verb, group, resource and name. */
function covers(rule: Rule, part: Rule): boolean {
  if (!hasAll(rule.verbs, part.verbs)) return false;
  const [url] = part.nonResourceURLs ?? [];
  if (url !== undefined) return (rule.nonResourceURLs ?? []).some((own) => matchesPath(own, url));
  return (
    hasAll(rule.apiGroups, part.apiGroups) &&
    (part.resources ?? []).every((one) => coversResource(rule.resources ?? [], one)) &&
    coversNames(rule.resourceNames ?? [], part.resourceNames ?? [])
  );
}

const hasAll = (own: readonly string[] = [], wanted: readonly string[] = []): boolean =>
  own.includes("*") || wanted.every((one) => own.includes(one));

function coversResource(own: readonly string[], wanted: string): boolean {
  if (own.includes("*") || own.includes(wanted)) return true;
  const slash = wanted.indexOf("/");
  return slash !== -1 && own.includes(`*${wanted.slice(slash)}`);
}

/** A rule without names speaks of all objects; one with names only of those. */
const coversNames = (own: readonly string[], wanted: readonly string[]): boolean =>
  own.length === 0 || (wanted.length > 0 && wanted.every((one) => own.includes(one)));

/** Rules of the same group, resource and names as one rule with all their verbs, for people to read. */
export function compactRules(rules: readonly Rule[]): Rule[] {
  const byPlace = new Map<string, Rule>();
  for (const rule of rules) {
    const { verbs, ...place } = rule;
    const key = JSON.stringify(place);
    const known = byPlace.get(key);
    byPlace.set(key, known === undefined ? rule : { ...known, verbs: [...new Set([...known.verbs, ...verbs])] });
  }
  return [...byPlace.values()];
}

/** `{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}` */
export function formatRule(rule: Rule): string {
  const parts: [string, readonly string[] | undefined][] = [
    ["APIGroups", rule.apiGroups],
    ["Resources", rule.resources],
    ["NonResourceURLs", rule.nonResourceURLs],
    ["ResourceNames", rule.resourceNames],
    ["Verbs", rule.verbs],
  ];
  const shown = parts.flatMap(([name, values]) =>
    values === undefined || values.length === 0 ? [] : [`${name}:${formatList(values)}`],
  );
  return `{${shown.join(", ")}}`;
}

export const formatList = (texts: readonly string[]): string =>
  `[${texts.map((text) => JSON.stringify(text)).join(" ")}]`;
