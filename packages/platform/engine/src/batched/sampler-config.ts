/** Options of a request, in the names of llama-server's library, as the addon wants them. */
import type { AddonGrammarState } from "../addon.ts";

export interface SamplerInput {
  readonly options: Readonly<Record<string, unknown>>;
  readonly prompt: ArrayLike<number>;
  readonly contextSize: number;
  readonly seed: number;
  readonly biases: ReadonlyMap<number, number>;
}

export function samplerConfig({ options, prompt, contextSize, seed, biases }: SamplerInput): Record<string, unknown> {
  const number = (name: string, otherwise: number): number => Number(options[name] ?? otherwise);
  const config: Record<string, unknown> = {
    temperature: number("temperature", 0.8),
    topK: number("top_k", 40),
    topP: number("top_p", 0.95),
    minP: number("min_p", 0.05),
    seed,
    ...penalties(number, prompt, contextSize),
  };
  if (number("xtc_probability", 0) > 0) {
    config.xtcProbability = number("xtc_probability", 0);
    config.xtcThreshold = number("xtc_threshold", 0.1);
  }
  if (number("dry_multiplier", 0) > 0) Object.assign(config, dry(number, options.dry_sequence_breakers));
  if (biases.size > 0) {
    config.tokenBiasKeys = Uint32Array.from(biases.keys());
    config.tokenBiasValues = Float32Array.from(biases.values());
  }
  return config;
}

export const withGrammar = (config: object, state: AddonGrammarState | undefined): object =>
  state === undefined ? config : { ...config, grammarEvaluationState: state };

type Numbers = (name: string, otherwise: number) => number;

function penalties(number: Numbers, prompt: ArrayLike<number>, contextSize: number): object {
  const repeat = number("penalty_repeat", 1);
  const presence = number("penalty_present", 0);
  const frequency = number("penalty_freq", 0);
  const given = number("penalty_last_n", 64);
  const window = given < 0 ? contextSize : Math.min(given, contextSize);
  if (window === 0 || (repeat === 1 && presence === 0 && frequency === 0)) return {};
  return {
    repeatPenalty: repeat,
    repeatPenaltyPresencePenalty: presence,
    repeatPenaltyFrequencyPenalty: frequency,
    repeatPenaltyMaxTokens: window,
    repeatPenaltyTokens: Uint32Array.from(Array.from(prompt).slice(-window)),
  };
}

const defaultBreakers = ["\n", ":", '"', "*"];

function dry(number: Numbers, breakers: unknown): object {
  return {
    dryRepeatPenaltyStrength: number("dry_multiplier", 0),
    dryRepeatPenaltyBase: number("dry_base", 1.75),
    dryRepeatPenaltyAllowedLength: number("dry_allowed_length", 2),
    dryRepeatPenaltyLastTokens: number("dry_penalty_last_n", -1),
    dryRepeatPenaltySequenceBreakers: Array.isArray(breakers) ? breakers : defaultBreakers,
  };
}
