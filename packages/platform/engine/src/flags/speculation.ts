import { FlagError } from "./parse.ts";

/** Where guesses of the next tokens come from, and how many are checked at once. */
export interface SpeculationSettings {
  /** The file of a smaller model; undefined: the text so far. */
  readonly draft: string | undefined;
  readonly min: number;
  readonly max: number;
  /** A token that the draft holds less likely ends a guess. */
  readonly minChance: number;
  /** Layers of the draft on the GPU; negative: as many as fit. */
  readonly draftLayers: number;
}

export interface SpeculationFlags extends SpeculationSettings {
  readonly type: string | undefined;
}

/** Undefined where nothing is guessed: none was asked for, or a kind that this engine does not have. */
export function speculationOf({ type, ...settings }: SpeculationFlags): SpeculationSettings | undefined {
  const { draft, min, max, minChance } = settings;
  if (max < 1 || min < 0 || min > max)
    throw new FlagError(`--draft-max must be at least 1 and --draft-min between 0 and it, got ${max} and ${min}`);
  if (minChance < 0 || minChance > 1) throw new FlagError(`--draft-p-min must be between 0 and 1, got ${minChance}`);
  switch (type ?? (draft === undefined ? "none" : "draft-simple")) {
    case "draft-simple":
      if (draft === undefined) throw new FlagError("--spec-type draft-simple needs --model-draft FILE");
      return settings;
    // They differ in how they look up what followed before; here all of them do it in one way.
    case "ngram-simple":
    case "ngram-map-k":
    case "ngram-map-k4v":
    case "ngram-mod":
    case "ngram-cache":
      return { ...settings, draft: undefined };
    default:
      return undefined;
  }
}
