import type { Addon, AddonContext, AddonModel, AddonSampler } from "../addon.ts";
import type { TokenChance, TokenChances } from "../model/messages.ts";
import type { Generation } from "./generation.ts";
import type { Vocabulary } from "./vocabulary.ts";

export interface ChancesContext {
  readonly addon: Addon;
  readonly model: AddonModel;
  readonly context: AddonContext;
  readonly vocabulary: Vocabulary;
}

/** How likely the model held each token, before anything was done to choose one. */
export class Chances {
  readonly #parts: ChancesContext;
  #plain: AddonSampler | undefined;

  constructor(parts: ChancesContext) {
    this.#parts = parts;
  }

  async of({ run }: Generation, at: number, token: number): Promise<TokenChances | undefined> {
    const count = Number(run.options.n_probs ?? 0);
    if (count === 0) return undefined;
    const wanted = [[token], false, false, true, count] as const;
    const [, , , pairs = [], total = 1] = await this.#parts.context.sampleToken(
      at,
      this.#sampler(),
      false,
      false,
      wanted,
      true,
    );
    const all = this.#read(pairs, total);
    const top = all.filter((chance, index) => all.findIndex(({ id }) => id === chance.id) === index).slice(0, count);
    return { picked: all.find(({ id }) => id === token) ?? this.#named(token, 0), top };
  }

  /** Takes the most likely token, and so leaves all weights as the model gave them. */
  #sampler(): AddonSampler {
    if (this.#plain === undefined) {
      this.#plain = new this.#parts.addon.AddonSampler(this.#parts.model);
      this.#plain.applyConfig({ temperature: 0 });
    }
    return this.#plain;
  }

  #read(pairs: readonly number[], total: number): TokenChance[] {
    const logits = Array.from({ length: pairs.length / 2 }, (_, at) => [pairs[at * 2]!, pairs[at * 2 + 1]!] as const);
    const highest = Math.max(...logits.map(([, logit]) => logit));
    return logits
      .map(([id, logit]) => this.#named(id, Math.exp(logit - highest) / total))
      .sort((a, b) => b.chance - a.chance);
  }

  #named(id: number, chance: number): TokenChance {
    const bytes = this.#parts.vocabulary.bytesOf(id);
    return { id, token: bytes.toString("utf8"), bytes: [...bytes], chance };
  }
}
