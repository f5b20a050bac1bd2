import type { AnyObject } from "@trivium/kube";
import { flatten, type Gathered, type Part } from "./gather.ts";
import type { StatusReader } from "./status-reader.ts";

/** What an object depends on and owns, as nodes and links, with the links that lead to what is at fault. */
export interface ExplainGraph {
  readonly nodes: readonly ExplainNode[];
  readonly edges: readonly ExplainEdge[];
  /** The way from the object to the one at fault; empty where nothing else is. */
  readonly broken: readonly ExplainEdge[];
}

export interface ExplainNode {
  /** Kind and name: `Model tiny`. */
  readonly id: string;
  readonly is: "ready" | "idle" | "progressing" | "failed" | "degraded" | "missing";
  /** In the words of the object. */
  readonly state: string;
  readonly why?: string | undefined;
}

export interface ExplainEdge {
  readonly from: string;
  readonly is: "uses" | "owns";
  readonly to: string;
}

export function buildGraph(
  { object, uses, missing, parts }: Omit<Gathered, "warnings" | "explanation">,
  { standingOf }: Pick<StatusReader, "standingOf">,
): ExplainGraph {
  const root = idOf(object);
  const nodeOf = (one: AnyObject): ExplainNode => {
    const { is, word, why } = standingOf(one);
    return { id: idOf(one), is, state: word, ...(why === undefined ? {} : { why }) };
  };
  const absent = missing.map(({ kinds, name }): ExplainNode => {
    return { id: `${kinds.join(" or ")} ${name}`, is: "missing", state: "not found" };
  });
  const used = [...uses.map(nodeOf), ...absent];
  const owned = edgesOf(root, parts);
  const edges = [...used.map(({ id }): ExplainEdge => ({ from: root, is: "uses", to: id })), ...owned];
  const nodes = [nodeOf(object), ...used, ...flatten(parts).map(nodeOf)];
  return { nodes, edges, broken: brokenFrom(root, nodes, edges) };
}

const idOf = ({ kind, metadata }: AnyObject): string => `${kind} ${metadata.name}`;

const edgesOf = (from: string, parts: readonly Part[]): ExplainEdge[] =>
  parts.flatMap(({ object, parts: below }) => [
    { from, is: "owns" as const, to: idOf(object) },
    ...edgesOf(idOf(object), below),
  ]);

/** An object that is fine has no fault below it: what is left of an earlier state does not count. */
function brokenFrom(root: string, nodes: readonly ExplainNode[], edges: readonly ExplainEdge[]): ExplainEdge[] {
  const stateOf = new Map(nodes.map(({ id, is }) => [id, is]));
  const isFine = (id: string): boolean => ["ready", "idle"].includes(stateOf.get(id) ?? "");
  if (isFine(root)) return [];
  const wayFrom = (id: string, before: ReadonlySet<string>): ExplainEdge[] | undefined => {
    for (const edge of edges.filter(({ from, to }) => from === id && !before.has(to))) {
      if (isFine(edge.to)) continue;
      const rest = wayFrom(edge.to, new Set([...before, edge.to]));
      if (rest !== undefined) return [edge, ...rest];
    }
    return ["failed", "missing"].includes(stateOf.get(id) ?? "") && id !== root ? [] : undefined;
  };
  return wayFrom(root, new Set([root])) ?? [];
}
