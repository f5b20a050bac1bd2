import type { Backend } from "@trivium/domain";
import type { Workload } from "@trivium/engines";
import { systemClock } from "@trivium/runtime";
import { ClusterView } from "../cluster/view.ts";
import type { GatewayOptions } from "../gateway.ts";
import { defaultLimits } from "../limits.ts";
import { controllerName } from "../status/names.ts";
import { ListedModels } from "../upstream/listed-models.ts";
import type { Target } from "../upstream/target.ts";
import { Targets } from "../upstream/targets.ts";
import { ownControl } from "../waking/control.ts";
import type { Fleet } from "../waking/idler.ts";
import type { Activity, Closing } from "./calls.ts";

/** The workers, as far as scaling needs them. One that does not respond counts as busy and is left out otherwise. */
export interface Workers {
  activity(): Promise<readonly (readonly Activity[])[]>;
  close(closing: Closing): Promise<boolean>;
  open(key: string): void;
}

export type LeadOptions = Required<Pick<GatewayOptions, "client" | "log">> & Pick<GatewayOptions, "idling" | "orphans">;

/** Scales for all workers: watches the cluster as they do, and asks them what is in use before it decides. */
export class LeadProcess {
  readonly #view: ClusterView;
  readonly #targets: Targets;
  readonly #listed: ListedModels;
  readonly #control: ReturnType<typeof ownControl>;
  readonly #workers: Workers;

  constructor({ client, log, idling = "on", orphans = "leave" }: LeadOptions, workers: Workers) {
    this.#workers = workers;
    const [clock, random] = [systemClock, Math.random];
    const view = new ClusterView({ client, clock, random, log, controllerName, orphans, apiKeys: undefined });
    const targets = new Targets(view, { clock, connectTimeout: defaultLimits.connectTimeout });
    const onChange = () => this.#control.review();
    this.#view = view;
    this.#targets = targets;
    this.#control = ownControl({ client, view, targets, clock, random, log, idling, onChange }, this.#fleet());
    this.#listed = new ListedModels({ view, targets, memory: this.#control.memory });
  }

  async start(): Promise<void> {
    await Promise.all([this.#view.start(), this.#control.start()]);
    this.#listed.refresh();
    this.#view.onChange(() => this.#control.review());
    this.#control.review();
  }

  wake(workload: Workload): Promise<void> {
    return this.#control.wake(workload);
  }

  async freeSpace(backend: Backend): Promise<"making" | "nobody"> {
    await this.#refresh();
    return this.#control.freeSpace(this.#targets.of(backend));
  }

  async stop(): Promise<void> {
    this.#control.stop();
    await Promise.all([this.#view.stop(), this.#targets.destroy()]);
    await this.#control.close();
  }

  #fleet(): Fleet {
    return {
      refresh: () => this.#refresh(),
      close: (key, targets) => this.#workers.close({ key, backends: targets.map(({ backend }) => backend) }),
      open: (key) => this.#workers.open(key),
    };
  }

  /** What a worker that has exited knew of the last use stays known. */
  async #refresh(): Promise<void> {
    const reports = await this.#workers.activity();
    for (const target of this.#targets.all()) target.requests = 0;
    for (const { backend, requests, lastUsed } of reports.flat())
      this.#note(this.#targets.of(backend), requests, lastUsed);
  }

  #note(target: Target, requests: number, lastUsed: number | undefined): void {
    target.requests += requests;
    if (lastUsed !== undefined) target.lastUsed = Math.max(target.lastUsed ?? 0, lastUsed);
  }
}
