import { existsSync } from "node:fs";
import { type Addon, type AddonContext, type AddonModel, addonBuild } from "../addon.ts";
import { loadBinding } from "../binding.ts";
import { ChatTemplates } from "../chat/chat-templates.ts";
import type { FromModel, LoadedModel, LoadOrder, ModelThread } from "../model/messages.ts";
import { SamplingWatch } from "../model/sampling-watch.ts";
import { Adapters, type LoadedAdapter } from "./adapters.ts";
import { BatchedModel } from "./batched-model.ts";
import { Embedder } from "./embedder.ts";
import { contextOptions, modelOptions } from "./load-options.ts";
import { SequenceCache } from "./sequence-cache.ts";
import { loadSpeculation } from "./speculation/load-speculation.ts";
import { Vocabulary } from "./vocabulary.ts";

export interface LoadedBatched {
  readonly thread: ModelThread;
  readonly about: LoadedModel;
}

/** Native code gave up; why, it tells in its log. */
export class NativeFailure extends Error {}

/** The sequence whose vectors native code gives out. */
const embeddingSequence = 0;

export async function loadBatched(
  addon: Addon,
  order: LoadOrder,
  post: (message: FromModel) => void,
): Promise<LoadedBatched> {
  const adapters = adaptersOf(order);
  const model = new addon.AddonModel(order.path, { ...modelOptions(order), addonExports: addon });
  if (!(await model.init())) throw new NativeFailure(`cannot load model ${order.path}`);
  const context = new addon.AddonContext(
    model,
    contextOptions(order, {
      typeOf: (name) => addon.getGgmlType(name),
      hasWideVectors: !addon.getGpuType() && /\bAVX512 = 1\b/.test(addon.systemInfo()),
    }),
  );
  if (!(await context.init())) throw new NativeFailure(`cannot create the context of model ${order.path}`);
  const loaded = await loadAdapters({ addon, model }, adapters);
  if (addon.getGpuType()) await warmUp(model, context);
  const templates = new ChatTemplates(await loadBinding(), order);
  const vocabulary = new Vocabulary(model, order.file);
  const firstSequence = order.options.embedding === true ? 1 : 0;
  const parts = {
    addon,
    model,
    context,
    vocabulary,
    templates,
    firstSequence,
    contextSize: order.contextPerSlot,
    batchSize: order.batchSize,
    adapters: new Adapters(context, loaded),
    cache: new SequenceCache(context, firstSequence + order.slots, order.file.window),
    sampling: new SamplingWatch(order.sampling),
    speculation: await loadSpeculation({ addon, order, model, context }),
    embedder: new Embedder({
      context,
      isPerToken: order.file.pooling === "none",
      pieceSize: order.file.pooling === "last" ? order.batchSize : Number.POSITIVE_INFINITY,
      sequence: embeddingSequence,
    }),
  };
  return {
    thread: new BatchedModel(parts, post),
    about: { ...describe(model, vocabulary, templates), gpus: addon.getGpuDeviceInfo().deviceNames },
  };
}

function describe(model: AddonModel, vocabulary: Vocabulary, templates: ChatTemplates): Omit<LoadedModel, "gpus"> {
  const { metadata, chatTemplates } = templates.about();
  const nameOf = (token: number): string => (token < 0 ? "" : vocabulary.textOf([token]));
  return {
    build: addonBuild,
    description: model.getModelDescription(),
    embeddingLength: model.getEmbeddingVectorSize(),
    parameters: model.getTotalParameters(),
    vocabularyType: model.getVocabularyType(),
    bytes: model.getTotalSize(),
    metadata,
    bos: nameOf(model.tokenBos()),
    eos: nameOf(model.tokenEos()),
    caps: chatTemplates.jinja.defaultCaps,
    vision: false,
    audio: false,
  };
}

/** A driver compiles for its GPU what it meets for the first time, for up to a minute: not while somebody waits for an answer. */
async function warmUp(model: AddonModel, context: AddonContext): Promise<void> {
  const token = Math.max(model.tokenBos(), 0);
  for (const tokens of [new Uint32Array(16).fill(token), Uint32Array.of(token)]) {
    context.initBatch(tokens.length);
    context.addToBatch(0, 0, tokens, Uint32Array.of(tokens.length - 1));
    await context.decodeBatch();
    context.disposeSequence(0);
  }
}

interface Adapter {
  readonly path: string;
  readonly scaled: number;
}

function adaptersOf({ options }: LoadOrder): readonly Adapter[] {
  const adapters = (options.lora_list as readonly Adapter[] | undefined) ?? [];
  const missing = adapters.find(({ path }) => !existsSync(path));
  if (missing !== undefined) throw new Error(`cannot load adapter ${missing.path}: file not found`);
  return adapters;
}

async function loadAdapters(
  { addon, model }: { readonly addon: Addon; readonly model: AddonModel },
  adapters: readonly Adapter[],
): Promise<LoadedAdapter[]> {
  const loaded: LoadedAdapter[] = [];
  for (const { path, scaled } of adapters) {
    const lora = new addon.AddonModelLora(model, path);
    await model.loadLora(lora);
    loaded.push({ path, scale: scaled, lora });
  }
  return loaded;
}
