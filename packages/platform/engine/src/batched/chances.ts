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

/** A token, with how likely it and others were where that was asked for. */
export interface Chosen {
  readonly token: number;
  readonly chances: TokenChances | undefined;
}

/** Chooses tokens, and tells how likely each was: to the model, or with `post_sampling_probs` to the sampler that chose. */
export class Chances {
  readonly #parts: ChancesContext;
  #plain: AddonSampler | undefined;

  constructor(parts: ChancesContext) {
    this.#parts = parts;
  }

  /** `ahead` is the token where it was asked for already. */
  async choose(generation: Generation, at: number, ahead?: Promise<number>): Promise<Chosen> {
    const { sampler, run } = generation;
    const count = Number(run.options.n_probs ?? 0);
    const forced = generation.takeForced();
    if (count > 0 && run.options.post_sampling_probs === true && forced === undefined)
      return this.#chooseShown(generation, at, count);
    const token = forced ?? (await (ahead ?? this.#parts.context.sampleToken(at, sampler)));
    return { token, chances: count === 0 || token < 0 ? undefined : await this.#ofModel(token, at, count) };
  }

  async #chooseShown({ sampler, run }: Generation, at: number, count: number): Promise<Chosen> {
    const isGreedy = Number(run.options.temperature ?? 1) <= 0;
    const [token, pairs = []] = await this.#parts.context.sampleToken(at, sampler, true, false);
    if (token < 0) return { token, chances: undefined };
    // Without a temperature there is no choice.
    if (isGreedy) return { token, chances: certain(this.#named(token, 1)) };
    const all = pairsOf(pairs);
    const [, chance] = all.find(([id]) => id === token) ?? [token, 1];
    const top = all.filter(([, one]) => one > 0).sort(([, a], [, b]) => b - a);
    // Named last: there can be as many as the vocabulary has, and few are shown.
    const named = top.slice(0, count).map(([id, one]) => this.#named(id, one));
    return { token, chances: { picked: this.#named(token, chance), top: named } };
  }

  async #ofModel(token: number, at: number, count: number): Promise<TokenChances> {
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
    const logits = pairsOf(pairs);
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

const certain = (picked: TokenChance): TokenChances => ({ picked, top: [picked] });

const pairsOf = (flat: readonly number[]): (readonly [token: number, value: number])[] =>
  Array.from({ length: flat.length / 2 }, (_, at) => [flat[at * 2]!, flat[at * 2 + 1]!] as const);
