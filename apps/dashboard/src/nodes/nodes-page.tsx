import { formatOffered, parseGpuNode } from "@trivium/engines";
import type { AnyObject, Node } from "@trivium/kube";
import { podsPath } from "../kube/scope.ts";
import { useTables } from "../live/use-tables.ts";
import { useWeights, type WeightsRow } from "../models/use-weights.ts";
import { Empty, Loading } from "../parts/empty.tsx";
import { formatBytes, formatCount, Meter, whatMetersCount } from "../parts/meter.tsx";
import { Notices } from "../parts/notices.tsx";
import { Status } from "../parts/status.tsx";
import { type NodeUse, summarizeNodes } from "./capacity.ts";
import { describeUsage, type Usage, useUsage } from "./use-usage.ts";
import { type SizedModel, whatFits } from "./what-fits.ts";

/** Each node: what it has, what runs there, and what is left. */
export function NodesPage() {
  const tables = useTables(["/api/v1/nodes", podsPath()]);
  const [nodes = [], pods = []] = tables.map(({ objects }) => [...objects.values()]);
  const isKnown = tables.every(({ is }) => is !== "waiting");
  const failures = tables.flatMap(({ failure }) => failure ?? []);
  const models = sizedModels(useWeights().rows);
  const usage = useUsage();
  const byName = new Map(nodes.map((node) => [node.metadata.name, node]));
  return (
    <div class="page">
      <div class="page-head">
        <h1 tabIndex={-1}>Nodes</h1>
        <p class="muted" role="status">
          {nodes.length} {nodes.length === 1 ? "node" : "nodes"}
        </p>
      </div>
      {nodes.length > 0 && <p class="muted">{whatMetersCount}</p>}
      <Notices of={failures} />
      {!isKnown && <Loading what="nodes" />}
      {isKnown && nodes.length === 0 && (
        <Empty title="No nodes" command="kubectl get nodes">
          Nodes appear here with their capacity and what runs on them.
        </Empty>
      )}
      <div class="grid">
        {summarizeNodes(nodes, pods).map((node) => (
          <NodeCard
            key={node.name}
            node={node}
            object={byName.get(node.name)}
            models={models}
            usage={usage.get(node.name)}
          />
        ))}
      </div>
    </div>
  );
}

/** Each set of weights once: a model and its copies have one source. */
function sizedModels(rows: readonly WeightsRow[]): SizedModel[] {
  const sized = rows.flatMap(({ object, source, stored }) =>
    stored?.bytes === undefined
      ? []
      : [[source ?? object.metadata.uid, { name: object.metadata.name ?? "", bytes: stored.bytes }] as const],
  );
  return [...new Map(sized).values()];
}

interface NodeCardProps {
  readonly node: NodeUse;
  readonly object: AnyObject | undefined;
  readonly models: readonly SizedModel[];
  readonly usage: Usage | undefined;
}

function NodeCard({ node, object, models, usage }: NodeCardProps) {
  const gpu = object === undefined ? undefined : parseGpuNode(object as unknown as Node);
  const status = node.isReady ? (node.isCordoned ? "Idle" : "Ready") : "Failed";
  return (
    <section class="card" aria-label={`Node ${node.name}`}>
      <div class="page-head">
        <h2>{node.name}</h2>
        <Status status={status} />
        {node.isCordoned && <span class="muted">cordoned</span>}
        {gpu?.model !== undefined && <span class="tag">{gpu.model}</span>}
        {gpu?.gpuBytes !== undefined && <span class="muted">{formatBytes(gpu.gpuBytes)} each</span>}
      </div>
      <Meter label="GPUs" {...node.gpus} format={formatCount} />
      <Meter label="Memory" {...node.memory} format={formatBytes} />
      <Meter label="CPU" {...node.cpu} format={formatCount} />
      {usage !== undefined && <p>{describeUsage([usage])}</p>}
      <h3>What still fits</h3>
      <p>A pod with up to {describeFree(node)}</p>
      <Fit node={node} bytesPerGpu={gpu?.gpuBytes} models={models} />
      <h3>Pods</h3>
      {node.pods.length === 0 ? (
        <p class="muted">Nothing runs here.</p>
      ) : (
        <ul class="lines">
          {node.pods.map((pod) => (
            <li key={`${pod.namespace}/${pod.name}`}>
              {pod.namespace}/{pod.name} <span class="muted">{[pod.phase, ...requestsOf(pod)].join(", ")}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

interface FitProps {
  readonly node: NodeUse;
  readonly bytesPerGpu: number | undefined;
  readonly models: readonly SizedModel[];
}

function Fit({ node, bytesPerGpu, models }: FitProps) {
  if (models.length === 0) return <p class="muted">No model reports its size yet.</p>;
  const { fitting, tooLarge } = whatFits(node, bytesPerGpu, models);
  return (
    <>
      {fitting.length > 0 && (
        <p>Weights of {fitting.map(({ name, bytes, on }) => `${name} (${formatBytes(bytes)}, ${on})`).join(", ")}</p>
      )}
      {tooLarge.length > 0 && (
        <p class="muted">
          Too large now: {tooLarge.map(({ name, bytes }) => `${name} (${formatBytes(bytes)})`).join(", ")}
        </p>
      )}
    </>
  );
}

function requestsOf({ cpu, memory, gpus }: NodeUse["pods"][number]): string[] {
  const parts = [
    ...(gpus > 0 ? [`${gpus} ${gpus === 1 ? "GPU" : "GPUs"}`] : []),
    ...(memory > 0 ? [formatBytes(memory)] : []),
    ...(cpu > 0 ? [`${formatCount(cpu)} cores`] : []),
  ];
  return parts.length === 0 ? ["requests nothing"] : parts;
}

function describeFree({ cpu, memory, gpus }: NodeUse): string {
  const free = ({ used, offered }: NodeUse["cpu"]): number => Math.max(0, offered - used);
  const parts = [`${formatOffered(free(memory))} memory`, `${formatCount(free(cpu))} cores`];
  return [...(gpus.offered > 0 ? [`${formatCount(free(gpus))} GPUs`] : []), ...parts].join(", ");
}
