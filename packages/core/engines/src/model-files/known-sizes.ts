import type { ModelShape } from "@trivium/domain";
import { getOwn } from "@trivium/std";

/** Parameters of released models by `hidden size/layers[/experts]`. */
const sizes: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  llama: { "2048/16": 1e9, "3072/28": 3e9, "8192/80": 70e9, "8192/82": 70e9, "16384/126": 405e9 },
  llama4: { "5120/48/16": 17e9, "5120/48/128": 402e9 },
  mllama: { "4096/40": 11e9, "8192/100": 90e9 },
  qwen: { "4096/32": 7e9, "5120/40": 14e9, "8192/80": 72e9 },
  qwen2: { "3584/28": 7e9, "8192/40": 34e9, "7680/64": 72e9 },
  qwen2_vl: { "1536/28": 2e9, "3584/28": 7e9, "8192/80": 72e9 },
  qwen3: { "2560/36": 4e9, "4096/36": 8e9 },
  qwen3_moe: { "2048/48": 30e9, "4096/94": 235e9 },
  mistral: { "4096/32": 7e9 },
  mixtral: { "4096/32": 46.7e9 },
  deepseek_v3: { "7168/61": 685e9 },
  kimi_k2: { "7168/61": 1.5e12 },
  gpt_oss: { "2880/24/32": 20e9, "2880/36/128": 120e9 },
  gemma: { "2048/18": 2e9, "3072/28": 7e9 },
  gemma2: { "2304/26": 2.6e9, "3584/42": 9e9 },
  gemma3: { "5376/62": 32e9 },
  phi3: { "3072/32": 3.8e9 },
  phi3small: { "4096/32": 7e9 },
  phi3_v: { "3072/32": 14e9 },
  phimoe: { "4096/32": 16e9 },
  cohere: { "8192/40": 35e9, "12288/64": 104e9 },
  "command-r": { "8192/40": 35e9, "12288/64": 104e9 },
  dbrx: { "6144/40": 132e9 },
  baichuan: { "4096/32": 7e9, "5120/40": 13e9 },
  chatglm: { "4096/28": 6e9, "4096/40": 9e9 },
  exaone: { "4096/32": 7.8e9, "2560/30": 2.8e9 },
  internlm: { "4096/32": 7e9, "5120/60": 20e9 },
  internlm2: { "4096/32": 7e9, "6144/48": 20e9, "2048/24": 1.8e9 },
  minicpm: { "2304/40": 2.4e9, "1536/52": 1.2e9 },
  minicpm3: { "2560/62": 4e9 },
  stablelm: { "2560/32": 3e9, "2048/24": 1.6e9 },
  xverse: { "4096/32": 7e9, "5120/40": 13e9, "8192/80": 65e9 },
  bert: { "768/12": 110e6, "1024/24": 340e6 },
};

/** The size that a family's models of these measures are known by. */
export function parseKnownSize(modelType: string, shape: ModelShape): number | undefined {
  const family = getOwn(sizes, modelType);
  const measures = `${shape.hiddenSize}/${shape.layers}`;
  const experts = shape.experts === undefined ? undefined : getOwn(family, `${measures}/${shape.experts.count}`);
  return experts ?? getOwn(family, measures);
}
