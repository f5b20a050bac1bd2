import type { PolicyRule } from "@trivium/runtime";

/** A verb and what it is granted or used for, as `kubectl auth can-i` takes them: `patch pods/status`, `get models.example.com`. */
export type Right = string;

export function rightOf(verb: string, group: string, resource: string): Right {
  const [plural = "", subresource] = resource.split("/");
  const name = group === "" ? plural : `${plural}.${group}`;
  return `${verb} ${subresource === undefined ? name : `${name}/${subresource}`}`;
}

export function rightsOf(rules: readonly PolicyRule[]): Set<Right> {
  return new Set(
    rules.flatMap(({ apiGroups, resources, verbs }) =>
      apiGroups.flatMap((group) =>
        resources.flatMap((resource) => verbs.map((verb) => rightOf(verb, group, resource))),
      ),
    ),
  );
}
