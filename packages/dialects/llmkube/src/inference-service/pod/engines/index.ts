import type { InferenceService } from "../../../kinds/inference-service.ts";
import type { Engine } from "./engine.ts";
import { llamaCpp, llamaCppRouter } from "./llama-cpp.ts";
import { generic, ollama, personaPlex, tgi } from "./other-engines.ts";
import { sglang } from "./sglang.ts";
import { vllm } from "./vllm.ts";

export type { Engine, EngineSettings, WeightsOrigin } from "./engine.ts";

export type Runtime = NonNullable<InferenceService["spec"]["runtime"]>;

/** The engines that run in pods; the others run on a Mac, under the Metal agent. */
const engines: Partial<Record<Runtime, Engine>> = {
  llamacpp: llamaCpp,
  "llamacpp-router": llamaCppRouter,
  vllm,
  sglang,
  tgi,
  ollama,
  personaplex: personaPlex,
  generic,
};

export const engineOf = (runtime: Runtime | undefined): Engine | undefined => engines[runtime ?? "llamacpp"];
