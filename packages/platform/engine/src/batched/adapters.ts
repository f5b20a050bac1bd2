import type { AddonContext, AddonLora } from "../addon.ts";
import type { Run } from "../model/messages.ts";

/** An adapter as it was loaded: its file, and how strongly it is applied where a request does not say so. */
export interface LoadedAdapter {
  readonly path: string;
  readonly scale: number;
  readonly lora: AddonLora;
}

/** How strongly each adapter is applied, as one word: what was computed with other scales cannot be used. */
export type Scales = string;

/** The adapters of a model. Native code applies them to whole batches, so a batch has requests of the same scales only. */
export class Adapters {
  readonly #context: AddonContext;
  readonly #loaded: readonly LoadedAdapter[];
  #applied: Scales;

  constructor(context: AddonContext, loaded: readonly LoadedAdapter[]) {
    this.#context = context;
    this.#loaded = loaded;
    this.#applied = this.scalesOf({});
    if (loaded.length > 0) this.#set(this.#applied);
  }

  /** A request lists the adapters that it needs by their place on the command line; others are not applied to it. */
  scalesOf(options: Run["options"]): Scales {
    const asked = options.lora as readonly { readonly id: number; readonly scale: number }[] | undefined;
    return this.#loaded
      .map(({ scale }, id) => (asked === undefined ? scale : (asked.find((one) => one.id === id)?.scale ?? 0)))
      .join(" ");
  }

  apply(scales: Scales): void {
    if (scales === this.#applied) return;
    this.#set(scales);
    this.#applied = scales;
  }

  #set(scales: Scales): void {
    this.#context.setLoras(
      this.#loaded.map(({ lora }) => lora),
      scales.split(" ").map(Number),
    );
  }
}
