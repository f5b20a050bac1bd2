import { anyJson, int32, map, obj, opt, type SchemaOf, str } from "@trivium/schema";
import type { Json } from "@trivium/std";
import { metric, precision, profileType } from "./vocabulary.ts";

/** One way to run a model, as its container reports it. */
export const profileMetadata = obj("What the profile is made for", {
  engine: opt(str("Inference engine, such as vllm")),
  gpu: opt(str("GPU model the profile is tuned for")),
  gpuCount: opt(int32("GPUs that one replica takes")),
  metric: opt(metric("What the profile is optimised for")),
  precision: opt(precision("Numeric precision the profile runs with")),
  type: opt(profileType("How far the profile was tuned: optimized, preview or unoptimized")),
});

const engineArguments: SchemaOf<Json> = anyJson("Arguments of the engine, in whatever form that engine takes them");

export const profile = obj("The profile that discovery found for this template", {
  engine_args: opt(engineArguments),
  env_vars: opt(map("Environment variables the engine needs for this profile", str("Value of the variable"))),
  metadata: opt(profileMetadata),
});
