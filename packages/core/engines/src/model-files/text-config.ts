import type { Json, JsonObject } from "@trivium/std";
import { objectIn, sizeIn } from "./fields.ts";

/** The part of a configuration that describes the language model: itself, or one of its parts where it has several. */
export function textConfigOf(config: JsonObject): JsonObject {
  const nested =
    objectIn(config, "text_config", "llm_config", "language_config") ??
    objectIn(objectIn(config, "thinker_config"), "text_config");
  const isTop = sizeIn(config, "num_hidden_layers", "n_layer", "num_layers") !== undefined;
  return nested === undefined || (isTop && sizeIn(nested, "num_hidden_layers", "n_layer") === undefined)
    ? config
    : nested;
}

const visionTypes = /vision|[_-]vl|^vl|llava|mllama|janus|multi_modality|phi3_v|paligemma|idefics|pixtral|internvl/;

/** It takes pictures as well as text. */
export function hasVisionPart(config: JsonObject, modelType: string): boolean {
  const parts: readonly (Json | undefined)[] = [
    objectIn(config, "vision_config", "visual", "vision_encoder_config", "img_processor", "vision_tower_config"),
    objectIn(objectIn(config, "thinker_config"), "vision_config"),
  ];
  return parts.some((part) => part !== undefined) || visionTypes.test(modelType);
}
