import { type LogPlace, logOnce, logTail } from "@trivium/domain";
import { isReason, type KubeClient, type KubeObject, StorageClass } from "@trivium/kube";
import type {
  BackoffLimits,
  ClaimBinder,
  LogBook,
  ModelStoreAgent,
  ModelStoreApi,
  NodeAgent,
  StageTable,
} from "@trivium/node";
import { type Answered, answer } from "@trivium/reconcile";
import type { Clock } from "@trivium/runtime";
import type { StagedModelStore } from "./staged-model-store.ts";
import type { StoryNode } from "./story.ts";

const provisioner = "trivium.dev/staged";

export interface FixtureOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly stages: StageTable;
  /** How long containers that fall wait for their next start; as kubelets have it when left out. */
  readonly backoff?: BackoffLimits;
  /** Where nodes hold files of models. */
  readonly agents?: AgentParts | undefined;
}

export interface AgentParts {
  readonly api: ModelStoreApi;
  readonly held: StagedModelStore;
}

/** Staged nodes, volumes for claims, and the logs of all containers. */
export class ClusterFixture {
  readonly #options: FixtureOptions;
  readonly #node: typeof import("@trivium/node");
  readonly #logs: LogBook;
  readonly #claims: ClaimBinder;
  readonly #agents = new Map<string, NodeAgent>();
  readonly #holders = new Map<string, ModelStoreAgent<KubeObject>>();
  #subnet = 0;

  private constructor(options: FixtureOptions, node: typeof import("@trivium/node")) {
    const { client, clock } = options;
    this.#options = options;
    this.#node = node;
    this.#logs = new node.LogBook(() => clock.now());
    this.#claims = new node.ClaimBinder({ client, clock, provisioner });
  }

  static async open(options: FixtureOptions): Promise<ClusterFixture> {
    // Loaded here, so that tests without stories do not pay for it.
    const fixture = new ClusterFixture(options, await import("@trivium/node"));
    await ensureClass(options.client);
    await fixture.#claims.start();
    return fixture;
  }

  async join(node: StoryNode): Promise<void> {
    const { client, clock, stages, backoff } = this.#options;
    this.#subnet += 1;
    const sandbox = this.#node.stagedSandbox({ clock, stages, podCidr: `10.244.${this.#subnet}.0/24` });
    const agent = new this.#node.NodeAgent({
      // Pods of the node's own network have it, and endpoints are never on loopback.
      profile: { address: `192.0.2.${this.#subnet}`, ...node },
      client,
      clock,
      sandbox,
      logs: this.#logs,
      claims: this.#claims,
      ...(backoff === undefined ? {} : { backoff }),
    });
    this.#agents.set(node.name, agent);
    await agent.start();
    this.#hold(node.name);
  }

  /** What holds the files of models on a node. */
  #hold(node: string): void {
    const { client, clock, agents } = this.#options;
    if (agents === undefined) return;
    const { api, held } = agents;
    const managerOf = held.managerOf.bind(held);
    // It tries again by itself, as where the story's namespace is about to go.
    const onError = (): void => undefined;
    const holder = new this.#node.ModelStoreAgent({ client, clock, node, api, managerOf, onError });
    this.#holders.set(node, holder);
    holder.start();
  }

  async leave(name: string): Promise<void> {
    const agent = this.#agents.get(name);
    if (agent === undefined) throw new Error(`there is no node ${name}`);
    this.#agents.delete(name);
    await this.#holders.get(name)?.stop();
    this.#holders.delete(name);
    await agent.leave();
  }

  async close(): Promise<void> {
    for (const name of [...this.#agents.keys()]) await this.leave(name);
    await this.#claims.stop();
  }

  /** What containers print, read where it is kept. */
  logAnswers(): Answered[] {
    const read = (place: LogPlace): Promise<string> => this.#tailOf(place);
    return [answer(logTail, read) as Answered, answer(logOnce, read) as Answered];
  }

  async #tailOf({ namespace, pod, container, lines }: LogPlace): Promise<string> {
    const run = this.#logs.find({ namespace, pod, container, previous: false });
    let text = "";
    const request = { follow: false, timestamps: false, tailLines: lines };
    for await (const piece of run.read(request, this.#options.clock.now())) text += piece;
    return text;
  }
}

/** Claims without a class get this one. */
async function ensureClass(client: KubeClient): Promise<void> {
  const annotations = { "storageclass.kubernetes.io/is-default-class": "true" };
  const storageClass: StorageClass = {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: { name: "staged", annotations },
    provisioner,
    volumeBindingMode: "Immediate",
  };
  await client.create(StorageClass, storageClass).catch((error: unknown) => {
    if (!isReason(error, "AlreadyExists")) throw error;
  });
}
