import type { ModelCapability } from "@trivium/domain";

export interface CapabilityClues {
  /** Class of the model, in any case. */
  readonly architecture: string;
  readonly modelType: string;
  readonly isDiffusion: boolean;
  readonly hasVision: boolean;
  /** The repository carries the configuration of a sentence encoder. */
  readonly isSentenceEncoder: boolean;
}

type Rule = readonly [words: readonly string[], capabilities: readonly ModelCapability[]];

/** The first row with a word that the class name contains decides. */
const pipelineRules: readonly Rule[] = [
  [["imageedit", "pix2pix", "img2img", "inpaint"], ["IMAGE_TEXT_TO_IMAGE"]],
  [["image", "pix", "stablediffusion"], ["TEXT_TO_IMAGE"]],
  [["texttovideo", "t2v"], ["TEXT_TO_VIDEO"]],
  [["video"], ["IMAGE_TEXT_TO_VIDEO"]],
];

const omni: readonly ModelCapability[] = [
  "TEXT_TO_AUDIO",
  "IMAGE_TEXT_TO_AUDIO",
  "VIDEO_TEXT_TO_AUDIO",
  "AUDIO_TO_TEXT",
  "AUDIO_TO_AUDIO",
];
const listeners = ["whisper", "wav2vec2", "hubert", "forctc", "forspeechtotext"];

/** What can be asked of a model, from what its files call it. */
export function parseCapabilities(clues: CapabilityClues): readonly ModelCapability[] {
  const architecture = clues.architecture.toLowerCase();
  const modelType = clues.modelType.toLowerCase();
  if (clues.isDiffusion) {
    const rule = pipelineRules.find(([words]) => words.some((word) => architecture.includes(word)));
    // A pipeline whose name says nothing draws: none of them talks.
    return rule?.[1] ?? ["TEXT_TO_IMAGE"];
  }
  if (modelType.includes("nemotronh_nano")) return ["IMAGE_TEXT_TO_TEXT", "TEXT_TO_TEXT", "AUDIO_TO_TEXT"];
  if (clues.hasVision) return ["IMAGE_TEXT_TO_TEXT"];
  if (architecture.includes("omni")) return omni;
  if (listeners.some((word) => architecture.includes(word))) return ["AUDIO_TO_TEXT"];
  return isEncoder(clues, architecture, modelType) ? ["EMBEDDING"] : ["TEXT_TO_TEXT"];
}

function isEncoder(clues: CapabilityClues, architecture: string, modelType: string): boolean {
  return (
    clues.isSentenceEncoder ||
    architecture.includes("embedding") ||
    architecture.includes("sentence") ||
    modelType.includes("bert") ||
    (modelType === "mistral" && architecture === "mistralmodel")
  );
}
