import { existsSync } from "node:fs";
import { type Addon, type AddonContext, type AddonModel, addonBuild } from "../addon.ts";
import { loadBinding } from "../binding.ts";
import { ChatTemplates } from "../chat/chat-templates.ts";
import type { FromModel, LoadedModel, LoadOrder, ModelThread } from "../model/messages.ts";
import { BatchedModel } from "./batched-model.ts";
import { Embedder } from "./embedder.ts";
import { contextOptions, modelOptions } from "./load-options.ts";
import { SequenceCache } from "./sequence-cache.ts";
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
    contextOptions(order, (name) => addon.getGgmlType(name)),
  );
  if (!(await context.init())) throw new NativeFailure(`cannot create the context of model ${order.path}`);
  await applyAdapters({ addon, model, context }, adapters);
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
    cache: new SequenceCache(context, firstSequence + order.slots, order.file.window),
    embedder: new Embedder({ context, isPerToken: order.file.pooling === "none", sequence: embeddingSequence }),
  };
  return { thread: new BatchedModel(parts, post), about: describe(model, vocabulary, templates) };
}

function describe(model: AddonModel, vocabulary: Vocabulary, templates: ChatTemplates): LoadedModel {
  const { metadata, chatTemplates } = templates.about();
  const nameOf = (token: number): string => (token < 0 ? "" : vocabulary.textOf([token]));
  return {
    build: addonBuild,
    description: model.getModelDescription(),
    embeddingLength: model.getEmbeddingVectorSize(),
    parameters: model.getTotalParameters(),
    bytes: model.getTotalSize(),
    metadata,
    bos: nameOf(model.tokenBos()),
    eos: nameOf(model.tokenEos()),
    caps: chatTemplates.jinja.defaultCaps,
    vision: false,
    audio: false,
  };
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

interface Native {
  readonly addon: Addon;
  readonly model: AddonModel;
  readonly context: AddonContext;
}

async function applyAdapters({ addon, model, context }: Native, adapters: readonly Adapter[]): Promise<void> {
  if (adapters.length === 0) return;
  const loaded = [];
  for (const { path } of adapters) {
    const lora = new addon.AddonModelLora(model, path);
    await model.loadLora(lora);
    loaded.push(lora);
  }
  context.setLoras(
    loaded,
    adapters.map(({ scaled }) => scaled),
  );
}
