import type { ServingStyle, SizedModel, SizingRequest } from "@trivium/domain";

export interface WeightShare {
  readonly bytes: number;
  readonly how: string;
}

/** Bytes of the blocks `[from, to)`: exact where the tensors were read, else their even part of the weights. */
export function blockBytes(model: SizedModel, from: number, to: number): number {
  const { tensors, shape, weightBytes } = model;
  if (tensors !== undefined && tensors.blockBytes.length > 0)
    return tensors.blockBytes.slice(from, to).reduce((sum, each) => sum + each, 0);
  const layers = shape?.layers ?? 1;
  return Math.ceil((weightBytes * (to - from)) / layers);
}

/** Bytes outside of the blocks: token tables, last norm, towers. */
export function tableBytes(model: SizedModel): number {
  return model.weightBytes - blockBytes(model, 0, layersOf(model));
}

/** Of two tables the one for reading is quantized at least as much as the one for the output, so it has this part of both at least. */
const tokenTablePart = 0.4;

/** The token table, where it is a tensor of its own that the processor reads. A table that serves at both ends is needed on the device. */
function keptTable(model: SizedModel, style: ServingStyle): number {
  const isOwn = style.keepsTokenTable === true && model.shape?.sharesEmbeddings === false;
  return isOwn ? Math.floor(tableBytes(model) * tokenTablePart) : 0;
}

/** The table of the output, which is copied to the device for each large batch where it does not lie there. */
export function copiedTable(model: SizedModel, onDevices: number, style: ServingStyle): number {
  const isSplit = onDevices > 0 && onDevices < layersOf(model);
  return isSplit && style.keepsTokenTable === true ? tableBytes(model) - keptTable(model, style) : 0;
}

/** The weights on the fullest device, when the last `onDevices` layers are shared out over stages and devices. */
export function weightsOnDevice({ model, split, style }: SizingRequest, onDevices: number): WeightShare {
  const layers = layersOf(model);
  const first = layers - onDevices;
  const stage = Math.ceil(onDevices / split.pipeline);
  let fullest = 0;
  for (let from = first; from < layers; from += stage)
    fullest = Math.max(fullest, blockBytes(model, from, Math.min(layers, from + stage)));
  // The tables lie at both ends, so no stage carries more than all of them.
  const tables = onDevices === layers ? tableBytes(model) - keptTable(model, style) : 0;
  const bytes = Math.ceil((fullest + tables) / split.tensor);
  const shared = split.tensor > 1 ? ` ÷ ${split.tensor} devices` : "";
  const besides = tables > 0 ? ` + ${tables} B of embeddings` : "";
  return { bytes, how: `(${Math.min(stage, onDevices)} of ${layers} layers, ${fullest} B${besides})${shared}` };
}

/** The weights that stay with the processor. */
export function weightsOnHost(model: SizedModel, onDevices: number): WeightShare {
  const layers = layersOf(model);
  if (onDevices === layers) return { bytes: 0, how: "all layers are on devices" };
  const blocks = blockBytes(model, 0, layers - onDevices);
  const tables = tableBytes(model);
  return {
    bytes: blocks + tables,
    how: `${layers - onDevices} of ${layers} layers, ${blocks} B + ${tables} B of embeddings`,
  };
}

export function layersOf(model: SizedModel): number {
  return model.shape?.layers ?? 1;
}
