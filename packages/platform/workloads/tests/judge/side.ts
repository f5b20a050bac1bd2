import { createClient, type HttpTransport, httpTransport, loadKubeconfig } from "@trivium/client";
import { isReason, type Kind, type KubeClient, type KubeObject, Namespace } from "@trivium/kube";
import { LogBook, NodeAgent, type NodeProfile, type StageTable, stagedSandbox } from "@trivium/node";
import { systemClock } from "@trivium/runtime";
import { type ControlPlane, startControlPlane } from "../../../../../tools/cluster/control-plane.ts";
import { type Embedded, startEmbedded } from "./embedded.ts";

/** One of the two that are compared: an API server with controllers and staged nodes, and kubectl on it. */
export interface Side {
  readonly name: "real" | "embedded";
  readonly client: KubeClient;
  kubectl(args: readonly string[], input?: string): Promise<string>;
  stop(): Promise<void>;
}

export interface Sides {
  readonly real: Side;
  readonly embedded: Side;
  stop(): Promise<void>;
}

const plainNodes: readonly NodeProfile[] = [
  { name: "node-a", address: "127.0.0.1" },
  { name: "node-b", address: "127.0.0.1" },
];

/** Starts both, or says why this machine cannot. */
export async function startSides(stages: StageTable = [], profiles = plainNodes): Promise<Sides | string> {
  const plane = await startControlPlane();
  if (typeof plane === "string") return plane;
  const real = await sideOf("real", plane, { stages, profiles });
  const embedded = await sideOf("embedded", await startEmbedded(plane), { stages, profiles });
  const stop = async () => {
    await Promise.all([real.stop(), embedded.stop()]);
  };
  return { real, embedded, stop };
}

interface Nodes {
  readonly stages: StageTable;
  readonly profiles: readonly NodeProfile[];
}

async function sideOf(name: Side["name"], plane: ControlPlane | Embedded, { stages, profiles }: Nodes): Promise<Side> {
  const transport: HttpTransport = httpTransport(await loadKubeconfig(plane.kubeconfig));
  const client = createClient(transport);
  const logs = new LogBook(() => systemClock.now());
  const agents = profiles.map((profile, i) => {
    const sandbox = stagedSandbox({ clock: systemClock, stages, podCidr: `10.244.${i}.0/24` });
    return new NodeAgent({ profile, client, sandbox, logs });
  });
  await Promise.all(agents.map((agent) => agent.start()));
  return {
    name,
    client,
    kubectl: plane.kubectl,
    async stop() {
      await Promise.all(agents.map((agent) => agent.stop()));
      await transport.close();
      await plane.stop();
    },
  };
}

/** What a course does, in a namespace of its own on one side. */
export interface Player {
  readonly side: Side;
  readonly namespace: string;
  /** kubectl in the namespace; its output. */
  kubectl(command: string, input?: string): Promise<string>;
  apply(...objects: readonly object[]): Promise<void>;
  /** Waits until an object fulfils a condition, by watching it; `undefined` is an object that is not there. */
  until<O extends KubeObject>(kind: Kind<O>, name: string, holds: (object: O | undefined) => boolean): Promise<void>;
  /** Keeps a word for the comparison: the output of a command, an error. */
  note(label: string, value: unknown): void;
  readonly notes: Record<string, unknown>;
}

export async function playerOn(side: Side, namespace: string): Promise<Player> {
  const notes: Record<string, unknown> = {};
  await side.client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  await untilAccountIsThere(side, namespace);
  const kubectl = (command: string, input?: string) =>
    side.kubectl(["-n", namespace, ...command.split(" ").filter((word) => word !== "")], input);
  return {
    side,
    namespace,
    notes,
    kubectl,
    async apply(...objects) {
      await kubectl("apply -f -", JSON.stringify({ apiVersion: "v1", kind: "List", items: objects }));
    },
    until: (kind, name, holds) => until(side, kind, { namespace, name }, holds),
    note(label, value) {
      notes[label] = value;
    },
  };
}

/** Pods are refused before their namespace has its account. */
async function untilAccountIsThere(side: Side, namespace: string): Promise<void> {
  const account = { group: "", version: "v1", kind: "ServiceAccount", plural: "serviceaccounts", namespaced: true };
  await until(side, account, { namespace, name: "default" }, (object) => object !== undefined);
}

const patience = 240_000;

async function until<O extends KubeObject>(
  side: Side,
  kind: Kind<O>,
  ref: { namespace: string; name: string },
  holds: (object: O | undefined) => boolean,
): Promise<void> {
  const { namespace, name } = ref;
  const signal = AbortSignal.timeout(patience);
  let last: O | undefined;
  try {
    while (!signal.aborted) {
      const { items, metadata } = await side.client.list(kind, { namespace, fieldSelector: `metadata.name=${name}` });
      last = items[0];
      if (holds(last)) return;
      const options = {
        namespace,
        fieldSelector: `metadata.name=${name}`,
        resourceVersion: metadata.resourceVersion ?? "",
        signal,
      };
      for await (const event of side.client.watch(kind, options)) {
        if (event.type === "BOOKMARK") continue;
        last = event.type === "DELETED" ? undefined : event.object;
        if (holds(last)) return;
      }
    }
  } catch (error) {
    if (!signal.aborted && !isReason(error, "Expired", "Gone")) throw error;
  }
  throw new Error(`${side.name}: ${kind.kind} ${name} did not come so far: ${JSON.stringify(last)}`);
}
