import { readFileSync } from "node:fs";
import { faultOfAllowedHost, faultOfAllowedOrigin, splitList } from "@trivium/std";
import type { AddonOverride } from "../addon.ts";
import type { Pooling } from "../model/messages.ts";
import { FlagError, type FlagValue, type ParsedFlags } from "./parse.ts";
import { type SpeculationSettings, speculationOf } from "./speculation.ts";
import type { FlagKey } from "./table.ts";

/** How tokens are picked unless a request says otherwise; names as in a request of llama-server. */
export interface SamplingDefaults {
  readonly seed: number;
  readonly temperature: number;
  readonly top_k: number;
  readonly top_p: number;
  readonly min_p: number;
  readonly top_n_sigma: number;
  readonly xtc_probability: number;
  readonly xtc_threshold: number;
  readonly typical_p: number;
  readonly repeat_last_n: number;
  readonly repeat_penalty: number;
  readonly presence_penalty: number;
  readonly frequency_penalty: number;
  readonly dry_multiplier: number;
  readonly dry_base: number;
  readonly dry_allowed_length: number;
  readonly dry_penalty_last_n: number;
  readonly mirostat: number;
  readonly mirostat_tau: number;
  readonly mirostat_eta: number;
  readonly n_predict: number;
}

/** What is handed to the native binding when the model is loaded. */
export interface ModelSettings {
  readonly path: string;
  readonly mmproj: string | undefined;
  /** Tokens of all slots together; 0: as many as the model was trained with, for each slot. */
  readonly contextSize: number;
  readonly slots: number | undefined;
  readonly threads: number | undefined;
  readonly chatTemplate: string | undefined;
  readonly embedding: boolean;
  readonly embeddingNormalization: number;
  readonly pooling: Pooling | undefined;
  readonly batch: number;
  /** As given: how long an input may be depends on whether it was. */
  readonly ubatch: number | undefined;
  /** Undefined where each token is computed before the next one is considered. */
  readonly speculation: SpeculationSettings | undefined;
  /** Options of the binding that pass through as they are. */
  readonly native: Readonly<Record<string, unknown>>;
}

export interface ServerSettings {
  readonly host: string;
  readonly port: number;
  readonly prefix: string;
  readonly aliases: readonly string[];
  /** Names under which requests find the adapters, in their order. */
  readonly adapterNames: readonly string[];
  readonly tags: readonly string[];
  readonly apiKeys: readonly string[];
  /** Host names and web pages that are answered beside those of this machine. */
  readonly allowedHosts: readonly string[];
  readonly corsOrigins: readonly string[];
  readonly hasMetrics: boolean;
  readonly hasSlots: boolean;
  readonly hasProps: boolean;
  readonly timeoutSeconds: number;
}

export interface ChatSettings {
  readonly useJinja: boolean;
  /** Whether a last message of the assistant is the beginning of the answer. */
  readonly continuesAnswers: boolean;
  readonly reasoningFormat: "none" | "auto" | "deepseek";
  readonly enableThinking: boolean;
  readonly thinkingBudget: number;
  readonly thinkingBudgetMessage: string | undefined;
  readonly templateArguments: Readonly<Record<string, unknown>>;
}

export interface Settings {
  readonly model: ModelSettings;
  readonly server: ServerSettings;
  readonly chat: ChatSettings;
  readonly sampling: SamplingDefaults;
  readonly sequenceBreakers: readonly string[] | undefined;
  readonly grammar: string | undefined;
  readonly ignoreEos: boolean;
  /** Prompts that begin like the last one of a slot are read from there on. */
  readonly cachePrompt: boolean;
  readonly isVerbose: boolean;
}

export function settingsOf({ values }: ParsedFlags): Settings {
  const all = (key: FlagKey): readonly FlagValue[] => values.get(key) ?? [];
  const text = (key: FlagKey): string | undefined => all(key)[0] as string | undefined;
  const number = (key: FlagKey, otherwise: number): number => (all(key)[0] as number | undefined) ?? otherwise;
  const isOn = (key: FlagKey, otherwise: boolean): boolean => (all(key)[0] as boolean | undefined) ?? otherwise;
  const list = (key: FlagKey): string[] => all(key).flatMap((value) => String(value).split(",").filter(Boolean));

  const path = text("model");
  if (path === undefined) throw new FlagError("no model: pass -m FILE (or LLAMA_ARG_MODEL)");
  const reasoning = text("reasoningFormat") ?? "auto";
  const embedding = isOn("embedding", false) || isOn("rerank", false);
  const speculation = speculationOf({
    type: text("specType"),
    draft: text("draft"),
    min: number("specMin", 0),
    max: number("specMax", 16),
    minChance: number("specChance", 0.75),
    draftLayers: number("specLayers", -1),
  });
  return {
    model: {
      path,
      mmproj: text("mmproj"),
      contextSize: atLeast("--ctx-size", number("ctxSize", 0), 0),
      slots: slotsOf(number("parallel", -1)),
      threads: values.has("threads") ? number("threads", 0) : undefined,
      chatTemplate: fromFile("--chat-template-file", text("chatTemplateFile")) ?? text("chatTemplate"),
      embedding,
      embeddingNormalization: number("embdNormalize", 2),
      batch: atLeast("--batch-size", number("batch", 2048), 1),
      pooling: isOn("rerank", false) ? "rank" : (text("pooling") as Pooling | undefined),
      ubatch: values.has("ubatch") ? atLeast("--ubatch-size", number("ubatch", 512), 1) : undefined,
      // Vectors have no next token, and the binding that sees pictures cannot take tokens back.
      speculation: embedding || values.has("mmproj") ? undefined : speculation,
      native: nativeOptions(),
    },
    server: {
      host: text("host") ?? "127.0.0.1",
      port: portOf(number("port", 8080)),
      prefix: (text("apiPrefix") ?? "").replace(/\/+$/, ""),
      aliases: list("alias"),
      adapterNames: list("loraNames"),
      tags: list("tags"),
      apiKeys: [...list("apiKey"), ...keysOfFile(text("apiKeyFile"))],
      allowedHosts: checkedList("--allowed-hosts", text("allowedHosts"), faultOfAllowedHost),
      corsOrigins: checkedList("--cors-origins", text("corsOrigins"), faultOfAllowedOrigin),
      hasMetrics: isOn("metrics", false),
      hasSlots: isOn("slots", true),
      hasProps: isOn("props", false),
      timeoutSeconds: number("timeout", 3600),
    },
    chat: {
      useJinja: isOn("jinja", true),
      continuesAnswers: isOn("prefillAssistant", true),
      reasoningFormat: reasoning === "none" || reasoning === "auto" ? reasoning : "deepseek",
      enableThinking: text("reasoning") !== "off",
      thinkingBudget: number("reasoningBudget", -1),
      thinkingBudgetMessage: text("reasoningBudgetMessage"),
      templateArguments: objectOf("--chat-template-kwargs", text("chatTemplateKwargs")),
    },
    sampling: {
      seed: number("seed", -1),
      temperature: number("temperature", 0.8),
      top_k: number("topK", 40),
      top_p: number("topP", 0.95),
      min_p: number("minP", 0.05),
      top_n_sigma: number("topNSigma", -1),
      xtc_probability: number("xtcProbability", 0),
      xtc_threshold: number("xtcThreshold", 0.1),
      typical_p: number("typicalP", 1),
      repeat_last_n: number("repeatLastN", 64),
      repeat_penalty: number("repeatPenalty", 1),
      presence_penalty: number("presencePenalty", 0),
      frequency_penalty: number("frequencyPenalty", 0),
      dry_multiplier: number("dryMultiplier", 0),
      dry_base: number("dryBase", 1.75),
      dry_allowed_length: number("dryAllowedLength", 2),
      dry_penalty_last_n: number("dryPenaltyLastN", 64),
      mirostat: number("mirostat", 0),
      mirostat_tau: number("mirostatEnt", 5),
      mirostat_eta: number("mirostatLr", 0.1),
      n_predict: number("predict", -1),
    },
    sequenceBreakers: values.has("drySequenceBreaker") ? breakersOf(all("drySequenceBreaker")) : undefined,
    grammar: fromFile("--grammar-file", text("grammarFile")) ?? text("grammar"),
    ignoreEos: isOn("ignoreEos", false),
    cachePrompt: isOn("cachePrompt", true),
    isVerbose: isOn("verbose", false),
  };

  function nativeOptions(): Record<string, unknown> {
    const scale = number("ropeScale", 0);
    const options: Record<string, unknown> = {
      n_gpu_layers: number("gpuLayers", -1),
      flash_attn_type: text("flashAttn") ?? "auto",
      use_mmap: isOn("mmap", true),
      use_mlock: isOn("mlock", false),
      swa_full: isOn("swaFull", false),
      rope_freq_base: number("ropeFreqBase", 0),
      rope_freq_scale: scale > 0 ? 1 / scale : number("ropeFreqScale", 0),
      lora_list: [
        ...list("lora").map((file) => ({ path: file, scaled: 1 })),
        ...list("loraScaled").map(scaledLora),
        // Loaded, and applied to requests that list them.
      ].map((adapter) => (isOn("loraLater", false) ? { ...adapter, scaled: 0 } : adapter)),
    };
    const optional = {
      cache_type_k: "cacheTypeK",
      cache_type_v: "cacheTypeV",
      pooling_type: "pooling",
      rope_scaling: "ropeScaling",
    };
    for (const [name, key] of Object.entries(optional))
      if (values.has(key as FlagKey)) options[name] = text(key as FlagKey);
    if (values.has("yarnOrigCtx")) options.yarn_orig_ctx = number("yarnOrigCtx", 0);
    if (values.has("overrideKv")) options.overrides = all("overrideKv").map((given) => overrideOf(String(given)));
    return options;
  }
}

/** KEY=TYPE:VALUE, as llama-server takes it. */
function overrideOf(given: string): AddonOverride {
  const [, key, type, value = ""] = /^([^=]{1,127})=(int|float|bool|str):(.{1,127})$/s.exec(given) ?? [];
  const number = Number(value);
  if (key !== undefined && type === "str") return [key, value, undefined];
  if (key !== undefined && type === "bool" && /^(true|false)$/.test(value)) return [key, value === "true", undefined];
  if (key !== undefined && type === "int" && Number.isSafeInteger(number)) return [key, number, 0];
  if (key !== undefined && type === "float" && Number.isFinite(number)) return [key, number, 1];
  throw new FlagError(`--override-kv needs KEY=TYPE:VALUE with a type of int, float, bool or str, got "${given}"`);
}

function checkedList(
  flag: string,
  given: string | undefined,
  faultOf: (entry: string) => string | undefined,
): string[] {
  const entries = splitList(given);
  const fault = entries.map(faultOf).find((found) => found !== undefined);
  if (fault !== undefined) throw new FlagError(`${flag}: ${fault}`);
  return entries;
}

function slotsOf(count: number): number | undefined {
  if (count === -1) return undefined;
  return Math.min(256, atLeast("--parallel", count, 1));
}

function portOf(port: number): number {
  if (port > 65_535) throw new FlagError(`--port needs a number up to 65535, got ${port}`);
  return atLeast("--port", port, 0);
}

function atLeast(name: string, value: number, least: number): number {
  if (value < least) throw new FlagError(`${name} must be at least ${least}, got ${value}`);
  return value;
}

function scaledLora(given: string): { path: string; scaled: number } {
  const at = given.lastIndexOf(":");
  const scaled = Number(given.slice(at + 1));
  if (at < 1 || !Number.isFinite(scaled)) throw new FlagError(`--lora-scaled needs FILE:SCALE, got "${given}"`);
  return { path: given.slice(0, at), scaled };
}

function breakersOf(given: readonly FlagValue[]): string[] {
  return given.includes("none") ? [] : given.map((text) => String(text).replaceAll("\\n", "\n"));
}

function keysOfFile(path: string | undefined): string[] {
  const lines = fromFile("--api-key-file", path)?.split("\n") ?? [];
  return lines.map((line) => line.trim()).filter((line) => line !== "" && !line.startsWith("#"));
}

function fromFile(flag: string, path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new FlagError(`${flag}: cannot read ${path}: ${(error as NodeJS.ErrnoException).code ?? error}`);
  }
}

function objectOf(flag: string, json: string | undefined): Record<string, unknown> {
  if (json === undefined) return {};
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Said below in one way for both.
  }
  throw new FlagError(`${flag} needs a JSON object`);
}
