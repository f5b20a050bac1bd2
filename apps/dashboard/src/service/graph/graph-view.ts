import { buildGraph, flatten, type Gathered, type Part, type StatusReader } from "@trivium/explain";
import type { AnyObject } from "@trivium/kube";

/** An object in the picture. */
export interface GraphBox {
  readonly id: string;
  readonly kind: string;
  readonly name: string;
  readonly is: string;
  readonly state: string;
  readonly why?: string | undefined;
  readonly column: number;
  readonly row: number;
}

export interface GraphLine {
  readonly from: string;
  readonly to: string;
  readonly isBroken: boolean;
}

export interface GraphView {
  readonly columns: readonly string[];
  readonly boxes: readonly GraphBox[];
  readonly lines: readonly GraphLine[];
}

const columnNames = ["Service", "Profile", "Model and weights", "Claim", "Workload", "Pod", "Node", "Route"] as const;
type ColumnName = (typeof columnNames)[number];
type Box = Omit<GraphBox, "column" | "row"> & { readonly in: ColumnName };
type Edge = readonly [from: string, to: string];

const byKind: Readonly<Record<string, ColumnName>> = {
  PersistentVolumeClaim: "Claim",
  Pod: "Pod",
  HTTPRoute: "Route",
};

/** The objects from a service to the node that runs it, in columns, with the way to what is at fault. */
export function viewGraph(gathered: Gathered, reader: StatusReader): GraphView {
  const graph = buildGraph(gathered, reader);
  const { object, uses, parts } = gathered;
  const root = idOf(object);
  const { models } = reader.guideOf(object);
  const owned = flatten(parts);
  // A Job that has done its work explains nothing any more.
  const done = flattenParts(parts).filter(
    ({ object: one }) => one.kind === "Job" && reader.standingOf(one).is === "ready",
  );
  const over = new Set(done.flatMap((part) => [part.object, ...flatten(part.parts)]).map(idOf));
  const hidden = new Set([...owned.filter(({ kind }) => kind === "ReplicaSet").map(idOf), ...over]);
  const columnOf = (kinds: readonly string[], isUsed: boolean): ColumnName => {
    if (kinds.some((kind) => models.includes(kind))) return "Model and weights";
    const known = byKind[kinds[0] ?? ""];
    if (known !== undefined) return known;
    if (isUsed) return "Profile";
    return owned.some((one) => one.kind === kinds[0] && isOfGroup(one, object)) ? "Model and weights" : "Workload";
  };
  const used = new Set([...uses.map(idOf), ...graph.nodes.filter(({ is }) => is === "missing").map(({ id }) => id)]);
  const boxes = graph.nodes
    .filter(({ id }) => !hidden.has(id))
    .map(({ id, is, state, why }): Box => {
      const at = id.lastIndexOf(" ");
      const [kind, name] = [id.slice(0, at), id.slice(at + 1)];
      const column = id === root ? "Service" : columnOf(kind.split(" or "), used.has(id));
      return { id, kind, name, is, state, ...(why === undefined ? {} : { why }), in: column };
    });
  const pods = owned.filter((one) => one.kind === "Pod" && !over.has(idOf(one)));
  const placed = pods.map(placeOf);
  const known = new Set(boxes.map(({ id }) => id));
  const edges: Edge[] = [
    ...withoutHidden(
      graph.edges.map(({ from, to }): Edge => [from, to]),
      hidden,
    ),
    ...placed.map(({ pod, box }): Edge => [pod, box.id]),
    ...pods.flatMap((pod) =>
      claimsOf(pod)
        .filter((id) => known.has(id))
        .map((id): Edge => [id, idOf(pod)]),
    ),
  ];
  const way = withoutHidden(
    graph.broken.map(({ from, to }): Edge => [from, to]),
    hidden,
  );
  // A pod that no node takes: the way ends where its node should be.
  const last = way.at(-1)?.[1];
  const unplaced = placed.filter(({ pod, box }) => pod === last && box.is === "missing");
  const broken = new Set([...way, ...unplaced.map(({ pod, box }): Edge => [pod, box.id])].map(String));
  return layOut(
    [...boxes, ...placed.map(({ box }) => (way.length === 0 ? asAwaited(box) : box))],
    edges.map((edge) => ({ from: edge[0], to: edge[1], isBroken: broken.has(String(edge)) })),
  );
}

/** Where nothing is broken, a node follows. */
const asAwaited = (box: Box): Box => (box.is === "missing" ? { ...box, is: "progressing" } : box);

const flattenParts = (parts: readonly Part[]): Part[] => parts.flatMap((part) => [part, ...flattenParts(part.parts)]);
const idOf = ({ kind, metadata }: AnyObject): string => `${kind} ${metadata.name}`;
const isOfGroup = (one: AnyObject, other: AnyObject): boolean =>
  one.apiVersion?.split("/")[0] === other.apiVersion.split("/")[0];

/** A box between two others that is not drawn: its ends are joined. */
function withoutHidden(edges: readonly Edge[], hidden: ReadonlySet<string>): Edge[] {
  return edges.flatMap(([from, to]): Edge[] => {
    if (hidden.has(to)) return [];
    if (!hidden.has(from)) return [[from, to]];
    return edges.filter(([, end]) => end === from).map(([start]): Edge => [start, to]);
  });
}

interface PodSpec {
  readonly nodeName?: string;
  readonly volumes?: readonly { readonly persistentVolumeClaim?: { readonly claimName: string } }[];
}

function placeOf(pod: AnyObject): { readonly pod: string; readonly box: Box } {
  const { nodeName } = (pod.spec ?? {}) as PodSpec;
  const box: Box =
    nodeName === undefined
      ? {
          id: `Node of ${pod.metadata.name}`,
          kind: "Node",
          name: "none",
          is: "missing",
          state: "not scheduled",
          in: "Node",
        }
      : { id: `Node ${nodeName}`, kind: "Node", name: nodeName, is: "ready", state: "", in: "Node" };
  return { pod: idOf(pod), box };
}

const claimsOf = ({ spec }: AnyObject): string[] =>
  ((spec ?? {}) as PodSpec).volumes?.flatMap(({ persistentVolumeClaim: claim }) =>
    claim === undefined ? [] : [`PersistentVolumeClaim ${claim.claimName}`],
  ) ?? [];

/** Columns without boxes are left out. */
function layOut(boxes: readonly Box[], lines: readonly GraphLine[]): GraphView {
  const distinct = [...new Map(boxes.map((box) => [box.id, box])).values()];
  const columns = columnNames.filter((name) => distinct.some((box) => box.in === name));
  const rows = new Map<string, number>();
  const placed = distinct.map(({ in: name, ...box }): GraphBox => {
    const row = rows.get(name) ?? 0;
    rows.set(name, row + 1);
    return { ...box, column: columns.indexOf(name), row };
  });
  const distinctLines = [...new Map(lines.map((line) => [`${line.from} ${line.to}`, line])).values()];
  return { columns, boxes: placed, lines: distinctLines };
}
