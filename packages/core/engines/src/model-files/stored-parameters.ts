import type { SafetensorsHeader, TensorShare, WeightQuantization } from "@trivium/domain";

/** Tensors that belong to the packing and are no parameters: scales, zero points, maps. */
const besides =
  /^(?:qzeros|scales|g_idx|absmax|nested_absmax|quant_map|nested_quant_map|bitsandbytes__\w+|SCB|.*_scales?(?:_\w+)?|.*_scale_inv|weight_shape|.*zero_point|weight_g_idx)$/;

/** Tensors whose numbers hold several weights each. */
const packed = /^(?:qweight|weight_packed|.*_blocks)$/;

const widths: Readonly<Record<string, number>> = { I32: 32, U32: 32, I64: 64, I16: 16, U8: 8, I8: 8 };

/** The parameters that a safetensors model stands for: those stored, with packed ones counted one by one. */
export function countStoredParameters(header: SafetensorsHeader, quantization: WeightQuantization | undefined): number {
  let sum = 0;
  for (const [role, share] of Object.entries(header.tensors.byRole)) sum += parametersOf(role, share, quantization);
  return sum;
}

function parametersOf(role: string, { elements }: TensorShare, quantization: WeightQuantization | undefined): number {
  const [name = "", type = ""] = role.split(" ");
  if (besides.test(name)) return 0;
  const bits = quantization?.bits;
  const width = widths[type];
  // Four-bit weights of some methods lie under the plain name, two in a byte.
  const isPacked = packed.test(name) || (name === "weight" && type === "U8" && bits === 4);
  return isPacked && bits !== undefined && width !== undefined && bits < width
    ? elements * Math.floor(width / bits)
    : elements;
}
