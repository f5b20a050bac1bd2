import type { SamplingDefaults } from "../flags/settings.ts";
import { wrongType } from "./fields.ts";

type Neutral = Partial<SamplingDefaults>;

/** What each sampler of llama-server is without, by its name and by its letter. */
const neutral: readonly (readonly [name: string, letter: string, values: Neutral])[] = [
  ["penalties", "e", { repeat_penalty: 1, presence_penalty: 0, frequency_penalty: 0 }],
  ["dry", "d", { dry_multiplier: 0 }],
  ["top_n_sigma", "s", { top_n_sigma: -1 }],
  ["top_k", "k", { top_k: 0 }],
  ["typ_p", "y", { typical_p: 1 }],
  ["top_p", "p", { top_p: 1 }],
  ["min_p", "m", { min_p: 0 }],
  ["xtc", "x", { xtc_probability: 0 }],
  ["temperature", "t", { temperature: 1 }],
];

/** Names that mean the same. */
const otherNames: Readonly<Record<string, string>> = { typical_p: "typ_p", temp: "temperature" };

/** Values that turn off the samplers which a request leaves out of its `samplers`. Their order is always the same. */
export function samplersLeftOut(samplers: unknown): Neutral {
  if (typeof samplers !== "string" && !Array.isArray(samplers)) return {};
  const listed = new Set(Array.from(samplers, nameOf));
  const missing = neutral.filter(([name, letter]) => !listed.has(name) && !listed.has(letter));
  return Object.assign({}, ...missing.map(([, , values]) => values)) as Neutral;
}

const nameOf = (given: unknown): string => {
  if (typeof given !== "string") throw wrongType("samplers", "string", given);
  return otherNames[given] ?? given;
};
