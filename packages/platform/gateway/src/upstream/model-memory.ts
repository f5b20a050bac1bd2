import { type KubeClient, Service } from "@trivium/kube";
import type { Log } from "@trivium/runtime";
import { annotationOf, annotations } from "../annotations.ts";
import { formatRemembered } from "../cluster/remembered-models.ts";

const fieldManager = "trivium-gateway";

/**
 * Notes on a Service which names its servers list, when that has changed. So they wake it when it is at zero, whichever gateway
 * is asked and however often it was restarted.
 */
export class ModelMemory {
  readonly #client: KubeClient;
  readonly #log: Log;
  readonly #writing = new Set<Promise<void>>();

  constructor(client: KubeClient, log: Log) {
    this.#client = client;
    this.#log = log;
  }

  keep(service: Service, names: readonly string[]): void {
    const wanted = formatRemembered(service, names);
    if (wanted === annotationOf(service, "listedModels")) return;
    const writing = this.#write(service, wanted ?? null).finally(() => this.#writing.delete(writing));
    this.#writing.add(writing);
  }

  async idle(): Promise<void> {
    await Promise.all(this.#writing);
  }

  async #write({ metadata }: Service, value: string | null): Promise<void> {
    const { namespace, name = "", uid = "" } = metadata;
    const body = { metadata: { uid, annotations: { [annotations.listedModels]: value } } };
    try {
      await this.#client.patch(Service, { namespace, name }, { type: "merge", body }, { fieldManager });
    } catch (error) {
      // Nothing is lost while this gateway runs.
      this.#log.warn({ service: `${namespace}/${name}`, err: error }, "cannot store the model names of a Service");
    }
  }
}
