import type { AnyObject } from "@trivium/kube";
import type { Relation } from "@trivium/reconcile";
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
  { object, uses, missing, behind = [], parts, explanation }: Omit<Gathered, "warnings">,
  { standingOf, standingWith }: Pick<StatusReader, "standingOf" | "standingWith">,
): ExplainGraph {
  const root = idOf(object);
  const nodeOf = (one: AnyObject): ExplainNode => {
    const { is, word, why } = standingOf(one);
    return { id: idOf(one), is, state: word, ...(why === undefined ? {} : { why }) };
  };
  const used = [...uses.map(nodeOf), ...missing.map(absentNode)];
  const needed = behind.map(({ user, relation, object: one }) => {
    const node = one === undefined ? absentNode(relation) : nodeOf(one);
    return { node, edge: { from: idOf(user), is: "uses", to: node.id } satisfies ExplainEdge };
  });
  const owned = edgesOf(root, parts);
  const edges = [
    ...used.map(({ id }): ExplainEdge => ({ from: root, is: "uses", to: id })),
    ...needed.map(({ edge }) => edge),
    ...owned,
  ];
  const nodes = [nodeOf(object), ...used, ...needed.map(({ node }) => node), ...flatten(parts).map(nodeOf)];
  const { is } = standingWith(object, [...uses, ...flatten(parts)]);
  return { nodes, edges, broken: brokenFrom({ nodes, edges }, { is, pod: explanation.failedPod }) };
}

const absentNode = ({ kinds, name }: Relation): ExplainNode => ({
  id: `${kinds.join(" or ")} ${name}`,
  is: "missing",
  state: "not found",
});

const idOf = ({ kind, metadata }: AnyObject): string => `${kind} ${metadata.name}`;

const edgesOf = (from: string, parts: readonly Part[]): ExplainEdge[] =>
  parts.flatMap(({ object, parts: below }) => [
    { from, is: "owns" as const, to: idOf(object) },
    ...edgesOf(idOf(object), below),
  ]);

interface Fault {
  /** Where the object stands, with all that it uses and owns. */
  readonly is: ExplainNode["is"];
  /** The pod that the decision found at fault. */
  readonly pod: string | undefined;
}

/**
 * The way to the one cause. The pod that the decision found at fault, if it found one; else what is missing, which the decision cannot go
 * on without; else what has failed. While the object is in progress, a pod that waits for the same thing is no fault.
 */
function brokenFrom(
  { nodes, edges }: Pick<ExplainGraph, "nodes" | "edges">,
  { is: standing, pod }: Fault,
): ExplainEdge[] {
  const [root] = nodes;
  if (root === undefined || isFine(root)) return [];
  const byId = new Map(nodes.map((node) => [node.id, node]));
  // What is fine has no fault below it: what is left of an earlier state does not count.
  const unmet = edges.filter(({ to }) => !isFine(byId.get(to)));
  const wayTo = (is: ExplainNode["is"]): ExplainEdge[] | undefined =>
    findWay(root.id, { edges: unmet, isFault: (id) => byId.get(id)?.is === is });
  const wayToPod = findWay(root.id, { edges, isFault: (id) => id === `Pod ${pod}` });
  return wayToPod ?? wayTo("missing") ?? (standing === "progressing" ? undefined : wayTo("failed")) ?? [];
}

const isFine = (node: ExplainNode | undefined): boolean => node?.is === "ready" || node?.is === "idle";

interface Search {
  readonly edges: readonly ExplainEdge[];
  isFault(id: string): boolean;
}

/** To the deepest that is at fault. */
function findWay(
  from: string,
  search: Search,
  before: ReadonlySet<string> = new Set([from]),
): ExplainEdge[] | undefined {
  for (const edge of search.edges.filter((one) => one.from === from && !before.has(one.to))) {
    const rest = findWay(edge.to, search, new Set([...before, edge.to]));
    if (rest !== undefined) return [edge, ...rest];
    if (search.isFault(edge.to)) return [edge];
  }
  return undefined;
}
