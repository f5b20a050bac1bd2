import type { SamplingDefaults, Settings } from "../flags/settings.ts";
import { faultOfGrammar } from "../grammar/gbnf.ts";
import { badRequest } from "./api-error.ts";
import { checkNumber, checkSchema } from "./bounds.ts";
import { type Body, booleanField, isObject, numberField, objectField, textField } from "./fields.ts";
import { loraOf } from "./lora.ts";
import { samplersLeftOut } from "./samplers.ts";

/** How one request wants its tokens picked: what is shown of it, and what native code is given. */
export interface Sampling {
  readonly shown: Readonly<Record<string, unknown>>;
  readonly native: Readonly<Record<string, unknown>>;
  readonly isStream: boolean;
  /** Most tokens to generate; -1 for as many as fit. */
  readonly limit: number;
  readonly stops: readonly string[];
  /** How many alternatives of each token are to be shown; 0 for none. */
  readonly chances: number;
  /** Whether they are those that the sampler chose among. */
  readonly isAfterSampling: boolean;
}

/** What a request wants its answer to look like; a schema becomes a grammar in native code. */
export interface Format {
  readonly grammar: string | undefined;
  readonly schema: unknown;
}

const numbers = [
  "temperature",
  "top_k",
  "top_p",
  "min_p",
  "top_n_sigma",
  "xtc_probability",
  "xtc_threshold",
  "typical_p",
  "repeat_last_n",
  "repeat_penalty",
  "presence_penalty",
  "frequency_penalty",
  "dry_multiplier",
  "dry_base",
  "dry_allowed_length",
  "dry_penalty_last_n",
  "mirostat",
  "mirostat_tau",
  "mirostat_eta",
  "seed",
] as const satisfies readonly (keyof SamplingDefaults)[];

export function samplingOf(body: Body, settings: Settings, chances: number): Sampling {
  const picked = Object.fromEntries(
    numbers.map((name) => [name, numberField(body, name) ?? settings.sampling[name]]),
  ) as Record<(typeof numbers)[number], number>;
  for (const [name, value] of Object.entries(picked)) checkNumber(name, value);
  Object.assign(picked, samplersLeftOut(body.samplers));
  refuseUnsupported(picked, settings);
  const limit = limitOf(body, settings);
  const isStream = booleanField(body, "stream") ?? false;
  const stops = stopsOf(body.stop);
  const isAfterSampling = booleanField(body, "post_sampling_probs") ?? false;
  const ignoreEos = booleanField(body, "ignore_eos") ?? settings.ignoreEos;
  const biases = biasesOf(body.logit_bias);
  const breakers = settings.sequenceBreakers;
  return {
    limit,
    stops,
    chances,
    isAfterSampling,
    isStream,
    shown: {
      ...picked,
      seed: picked.seed < 0 ? 4294967295 : picked.seed,
      stop: stops,
      max_tokens: limit,
      n_predict: limit,
      ignore_eos: ignoreEos,
      stream: isStream,
      n_probs: chances,
      post_sampling_probs: isAfterSampling,
    },
    native: {
      temperature: picked.temperature,
      top_k: picked.top_k,
      top_p: picked.top_p,
      min_p: picked.min_p,
      top_n_sigma: picked.top_n_sigma,
      xtc_probability: picked.xtc_probability,
      xtc_threshold: picked.xtc_threshold,
      typical_p: picked.typical_p,
      penalty_last_n: picked.repeat_last_n,
      penalty_repeat: picked.repeat_penalty,
      penalty_present: picked.presence_penalty,
      penalty_freq: picked.frequency_penalty,
      dry_multiplier: picked.dry_multiplier,
      dry_base: picked.dry_base,
      dry_allowed_length: picked.dry_allowed_length,
      dry_penalty_last_n: picked.dry_penalty_last_n,
      mirostat: picked.mirostat,
      mirostat_tau: picked.mirostat_tau,
      mirostat_eta: picked.mirostat_eta,
      seed: picked.seed | 0,
      stop: stops,
      ...(breakers === undefined ? {} : { dry_sequence_breakers: breakers }),
      ignore_eos: ignoreEos,
      logit_bias: biases,
      ...loraOf(body, settings),
      cache_prompt: booleanField(body, "cache_prompt") ?? settings.cachePrompt,
      ...(chances > 0 ? { n_probs: chances, post_sampling_probs: isAfterSampling } : {}),
    },
  };
}

/** Ways of choosing that the binding does not have: leaving them out without a word would give another text. */
const unsupported: Readonly<Record<string, (value: number) => boolean>> = {
  mirostat: (value) => value !== 0,
  typical_p: (value) => value < 1,
  top_n_sigma: (value) => value > 0,
};

function refuseUnsupported(picked: Readonly<Record<string, number>>, { model }: Settings): void {
  if (model.mmproj !== undefined) return;
  const name = Object.keys(unsupported).find((key) => unsupported[key]!(picked[key] ?? 0));
  if (name !== undefined)
    throw badRequest(`'${name}' is not supported by this engine; remove it from the request, or use llama-server`);
}

/** What the body says about the form of the answer. Native code must never see a grammar that was not checked here. */
function formatOf(body: Body, settings: Settings): Format {
  const grammar = textField(body, "grammar") || settings.grammar;
  const schema = body.json_schema ?? schemaOfResponseFormat(objectField(body, "response_format"));
  if (grammar !== undefined) checkGrammar(grammar);
  if (schema !== undefined) checkSchema(schema);
  return { grammar, schema };
}

/** Of a plain prompt the grammar counts, as in llama-server. */
export function plainFormatOf(body: Body, settings: Settings): Format {
  const format = formatOf(body, settings);
  return format.grammar === undefined ? format : { ...format, schema: undefined };
}

/** A chat can have one of them. */
export function chatFormatOf(body: Body, settings: Settings): Format {
  const format = formatOf(body, settings);
  const { grammar, schema } = format;
  if (grammar !== undefined && schema !== undefined)
    throw badRequest('Either "json_schema" or "grammar" can be specified, but not both');
  return format;
}

export function checkGrammar(grammar: string): void {
  const fault = faultOfGrammar(grammar);
  if (fault !== undefined) throw badRequest(`Failed to initialize samplers: ${fault}`);
}

function schemaOfResponseFormat(format: Body | undefined): unknown {
  if (format === undefined) return undefined;
  const type = textField(format, "type") ?? "text";
  if (type === "text") return undefined;
  if (type === "json_object") return format.schema ?? { type: "object" };
  if (type === "json_schema") return objectField(format, "json_schema")?.schema ?? { type: "object" };
  throw badRequest(`response_format type must be one of "text" or "json_object", but got: ${type}`);
}

function limitOf(body: Body, settings: Settings): number {
  const asked =
    numberField(body, "max_completion_tokens") ?? numberField(body, "max_tokens") ?? numberField(body, "n_predict");
  const limit = Math.trunc(asked ?? settings.sampling.n_predict);
  // As llama-server does, one token comes even where none was asked for.
  return limit < 0 ? -1 : Math.max(1, Math.min(limit, 2 ** 31 - 1));
}

function stopsOf(given: unknown): string[] {
  const words = typeof given === "string" ? [given] : Array.isArray(given) ? given : [];
  return words.filter((word): word is string => typeof word === "string" && word !== "");
}

/** A token or a text, and how much likelier it is to be made. */
export type Bias = readonly [of: number | string, by: number];

/** Pairs as llama-server takes them, or an object as OpenAI does; `false` never lets a token come. */
function biasesOf(given: unknown): Bias[] {
  if (given === undefined || given === null) return [];
  const pairs: unknown[] = isObject(given) ? Object.entries(given) : Array.isArray(given) ? given : [];
  if (pairs.length > maxBiases) throw badRequest(`'logit_bias' must not have more than ${maxBiases} entries`);
  return pairs.map((pair) => {
    const [of, by] = Array.isArray(pair) ? pair : [];
    const token = typeof of === "string" && /^\d+$/.test(of) ? Number(of) : of;
    const weight = by === false ? Number.NEGATIVE_INFINITY : by;
    if ((typeof token !== "number" && typeof token !== "string") || typeof weight !== "number")
      throw badRequest("'logit_bias' must be pairs of a token and a number, or of a token and false");
    return [token, weight];
  });
}

const maxBiases = 10_000;
