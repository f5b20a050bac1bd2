import type { Addon, AddonContext, AddonModel } from "../../addon.ts";
import type { SpeculationSettings } from "../../flags/speculation.ts";
import type { LoadOrder } from "../../model/messages.ts";
import { DraftGuesser } from "./draft-guesser.ts";
import type { Guesser } from "./guesser.ts";
import { Speculation } from "./speculation.ts";
import { TextGuesser } from "./text-guesser.ts";

export interface Loaded {
  readonly addon: Addon;
  readonly order: LoadOrder;
  readonly model: AddonModel;
  readonly context: AddonContext;
}

const remedy = "remove --spec-type and --model-draft";

/** What guesses for this model; undefined where nothing does. */
export async function loadSpeculation(loaded: Loaded): Promise<Speculation | undefined> {
  const { order } = loaded;
  if (order.speculation === undefined) return undefined;
  await confirmTakingBack(loaded);
  const { min, max, draft } = order.speculation;
  const guesser: Guesser =
    draft === undefined ? new TextGuesser() : await loadDraft(loaded, { ...order.speculation, draft });
  return new Speculation({ guesser, min, max, batchSize: order.batchSize, contextSize: order.contextPerSlot });
}

/** A model with a state instead of a cache cannot forget the tokens of a wrong guess. */
async function confirmTakingBack({ model, context, order }: Loaded): Promise<void> {
  const token = Math.max(model.tokenBos(), 0);
  context.initBatch(2);
  context.addToBatch(0, 0, Uint32Array.of(token, token), Uint32Array.of(1));
  await context.decodeBatch();
  const canForget = context.removeTokenCellsFromSequence(0, 1, -1);
  context.disposeSequence(0);
  if (!canForget)
    throw new Error(`model ${order.path} cannot take tokens back, which speculative decoding needs; ${remedy}`);
}

type DraftSettings = SpeculationSettings & { readonly draft: string };

async function loadDraft(
  { addon, order, context }: Loaded,
  { draft, draftLayers, minChance }: DraftSettings,
): Promise<Guesser> {
  const { slots, contextPerSlot, batchSize, options } = order;
  const gpuLayers = draftLayers < 0 ? {} : { gpuLayers: draftLayers };
  const model = new addon.AddonModel(draft, { ...gpuLayers, addonExports: addon });
  if (!(await model.init())) throw new Error(`cannot load draft model ${draft}; use another one, or ${remedy}`);
  const own = new addon.AddonContext(model, {
    contextSize: contextPerSlot * slots,
    batchSize,
    sequences: slots,
    threads: Number(options.n_threads),
    flashAttention: "auto",
    swaFullCache: true,
  });
  if (!(await own.init())) throw new Error(`cannot create the context of draft model ${draft}; ${remedy}`);
  confirmVocabulary(context, own, draft);
  const sampler = new addon.AddonSampler(model);
  sampler.applyConfig({ temperature: 0 });
  const isEnd = (token: number): boolean => model.isEogToken(token);
  return new DraftGuesser({ context: own, sampler, slots, batchSize, minChance, isEnd });
}

function confirmVocabulary(context: AddonContext, draft: AddonContext, path: string): void {
  try {
    context.ensureDraftContextIsCompatibleForSpeculative(draft);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`draft model ${path} does not match the served model (${why}); use one of its family`);
  }
}
