import type { api } from "@trivium/kube";

export type EngineFamily = "vllm" | "sglang" | "llama.cpp" | "tgi";

const signs: readonly (readonly [EngineFamily, RegExp])[] = [
  ["sglang", /sglang/],
  ["vllm", /vllm/],
  ["llama.cpp", /llama[.-]?cpp|llama-server/],
  ["tgi", /text-generation-(?:inference|launcher)/],
];

/** Which engine a container runs, by what it starts, else by its image: an image of one may start another. */
export function engineFamilyOf({ image = "", command = [], args = [] }: api.Container): EngineFamily | undefined {
  return familyIn([...command, ...args].join(" ")) ?? familyIn(image);
}

const familyIn = (text: string): EngineFamily | undefined =>
  signs.find(([, sign]) => sign.test(text.toLowerCase()))?.[0];

/** Whether a shell reads the arguments: then nothing can be added to them from outside. */
export function startsWithShell({ command = [], args = [] }: api.Container): boolean {
  const [program = "", ...rest] = [...command, ...args];
  return /(?:^|\/)(?:ba|da|k|z)?sh$/.test(program) && rest.some((word) => /^-\w*c$/.test(word));
}
