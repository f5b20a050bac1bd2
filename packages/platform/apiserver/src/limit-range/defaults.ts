import type { api, LimitRange } from "@trivium/kube";

const annotation = "kubernetes.io/limit-ranger";

type Kept = Record<string, string | number>;

/** Fills in what containers leave open, from the limit ranges of the namespace, in place. The annotation says what was filled in. */
export function applyLimitRanges({ metadata, spec }: api.Pod, ranges: readonly LimitRange[]): void {
  for (const { limits, requests } of ranges.map(defaultsOf)) {
    const notes = [
      ...spec.containers.flatMap((container) => fill(container, "container", limits, requests)),
      ...(spec.initContainers ?? []).flatMap((container) => fill(container, "init container", limits, requests)),
    ];
    if (notes.length === 0) continue;
    metadata.annotations = { ...metadata.annotations, [annotation]: `LimitRanger plugin set: ${notes.join("; ")}` };
  }
}

function defaultsOf({ spec }: LimitRange): { limits: Kept; requests: Kept } {
  const ofContainers = (spec?.limits ?? []).filter(({ type }) => type === "Container");
  return {
    limits: Object.assign({}, ...ofContainers.map((item) => item.default)),
    requests: Object.assign({}, ...ofContainers.map((item) => item.defaultRequest)),
  };
}

function fill(container: api.Container, what: string, limits: Kept, requests: Kept): string[] {
  const notes: string[] = [];
  for (const [part, defaults] of [
    ["requests", requests],
    ["limits", limits],
  ] as const) {
    const own = container.resources?.[part] ?? {};
    const open = Object.keys(defaults).filter((name) => own[name] === undefined);
    if (open.length === 0) continue;
    const filled = Object.fromEntries(open.map((name) => [name, defaults[name] as string]));
    container.resources = { ...container.resources, [part]: { ...own, ...filled } };
    notes.push(`${open.sort().join(", ")} ${part === "requests" ? "request" : "limit"} for ${what} ${container.name}`);
  }
  return notes;
}
