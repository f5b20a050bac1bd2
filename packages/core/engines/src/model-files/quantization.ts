import type { WeightQuantization } from "@trivium/domain";
import type { JsonObject } from "@trivium/std";
import { flagIn, objectIn, sizeIn, textIn } from "./fields.ts";

/** Bits of one weight for methods that have one width only. */
const bitsOfMethod: Readonly<Record<string, number>> = { fp8: 8, fbgemm_fp8: 8, mxfp4: 4, nvfp4: 4, mxfp8: 8, eetq: 8 };

/** How the weights are packed, as `quantization_config` and its relatives say. */
export function parseQuantization(config: JsonObject, text: JsonObject): WeightQuantization | undefined {
  const settings =
    objectIn(config, "quantization_config", "compression_config") ?? objectIn(text, "quantization_config");
  const method = settings === undefined ? undefined : methodOf(settings);
  const word = wordOf(`${method ?? ""} ${textIn(config, "torch_dtype", "dtype") ?? ""}`);
  if (settings === undefined || method === undefined)
    return word === undefined ? undefined : { method: word, bits: word === "int4" ? 4 : 8, word };
  const bits = bitsOf(settings, method);
  return { method, ...(bits === undefined ? {} : { bits }), ...(word === undefined ? {} : { word }) };
}

function methodOf(settings: JsonObject): string | undefined {
  const named = textIn(settings, "quant_method", "quantization_method")?.toLowerCase();
  if (named !== undefined) return named;
  return textIn(settings, "quant_algo")?.toLowerCase();
}

function wordOf(text: string): WeightQuantization["word"] {
  const lower = text.toLowerCase();
  if (lower.includes("int4")) return "int4";
  return lower.includes("fp8") ? "fp8" : undefined;
}

function bitsOf(settings: JsonObject, method: string): number | undefined {
  const stated = sizeIn(settings, "bits", "w_bit", "nbits", "num_bits");
  if (stated !== undefined) return stated;
  if (flagIn(settings, "load_in_4bit") === true || flagIn(settings, "_load_in_4bit") === true) return 4;
  if (flagIn(settings, "load_in_8bit") === true || flagIn(settings, "_load_in_8bit") === true) return 8;
  const algorithm = (textIn(settings, "quant_algo") ?? "").toLowerCase();
  if (/fp4|int4|w4a/.test(algorithm)) return 4;
  if (/fp8|int8|w8a/.test(algorithm)) return 8;
  return groupBits(settings) ?? bitsOfMethod[method];
}

/** Compressed tensors say it for groups of layers; the first group speaks for all. */
function groupBits(settings: JsonObject): number | undefined {
  const groups = objectIn(settings, "config_groups");
  const [first] = Object.keys(groups ?? {});
  return first === undefined ? undefined : sizeIn(objectIn(objectIn(groups, first), "weights"), "num_bits");
}
