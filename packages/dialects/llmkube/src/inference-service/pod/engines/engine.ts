import type { EngineArgument, PromptCacheEngine } from "@trivium/engines";
import type { api } from "@trivium/kube";
import type { GpuPlan, GpuVendor } from "../../../hardware/gpu-plan.ts";
import type { InferenceService } from "../../../kinds/inference-service.ts";
import type { Model } from "../../../kinds/model.ts";
import type { ServingMode } from "../../traffic/serving-mode.ts";

/** One program that can serve models, as this dialect starts it. */
export interface Engine {
  /** Name of its container. */
  readonly container: string;
  readonly port: number;
  readonly command?: readonly string[];
  /** Nothing: the user's image is needed. */
  readonly image?: (vendor: GpuVendor | "none", spec: Model["spec"]) => string;
  /** What it takes of the weights: one file, a folder or repository, or nothing because it looks after them itself. */
  readonly takes: "file" | "folder" | "repository" | "nothing";
  readonly probes: EngineProbes;
  /** Metric of one pod that tells its load. */
  readonly metric?: string;
  /** The variable in which it looks for a token of the hub. */
  readonly tokenVariable?: string;
  /** Variables it always gets. */
  readonly env?: readonly api.EnvVar[];
  /** Whether it can leave layers to the processor. */
  readonly splitsLayers?: true;
  /** Whether it says how many requests it is working on. */
  readonly tellsLoad?: true;
  /** Takes part in requests of the OpenAI kind, so that it lists its models. */
  readonly listsModels: boolean;
  /** Whether variables about other Services disturb it. */
  readonly serviceLinks?: false;
  readonly architectures?: readonly string[];
  /** LoRA adapters: `named` ones are requested by their names, `applied` ones change the model itself; absent: it takes none. */
  readonly adapters?: "named" | "applied";
  /** By which name the prompt cache of an annotation knows it; absent: it has none. */
  readonly promptCache?: PromptCacheEngine;
  args(settings: EngineSettings): string[];
}

export type EngineProbes =
  | { readonly over: "tcp" }
  | { readonly over: "http"; readonly startup: string; readonly liveness: string };

/** Weights that the engine fetches: a file of a repository (or the repository's own choice), or an address. */
export type WeightsOrigin =
  | { readonly is: "repository"; readonly repository: string; readonly file?: string | undefined }
  | { readonly is: "address"; readonly url: string };

/** Everything that arguments are made from. */
export interface EngineSettings {
  readonly service: InferenceService;
  readonly model: Model;
  readonly gpu: GpuPlan;
  readonly mode: ServingMode;
  readonly port: number;
  /** Path of the file or folder, or the repository. */
  readonly weights: string;
  readonly revision?: string | undefined;
  readonly projector?: string | undefined;
  /** What guesses ahead: a path, or a repository. */
  readonly draft?: string | undefined;
  readonly draftRevision?: string | undefined;
  /** Where the engine gets the weights itself, because nothing fetches them before it. */
  readonly origin?: WeightsOrigin | undefined;
  /** LoRA adapters of the annotation, where the engine takes any. */
  readonly adapters: readonly { readonly name: string; readonly path: string }[];
  /** Arguments for the prompt cache of the annotation. */
  readonly promptCache: readonly EngineArgument[];
  /** Layers to put on the GPU, where somebody computed how many fit. */
  readonly fittingLayers?: number | undefined;
}
