import type { AdapterFacts, DiffusionPipeline, TokenizerFacts } from "@trivium/domain";
import { getOwn, isObject, type Json, setOwn } from "@trivium/std";
import { present, sizeIn, textIn, textsIn } from "./fields.ts";

/** No tokenizer means a limit beyond this; files carry 1e30 for "none". */
const maxTokens = 1e9;
const maxComponents = 64;

/** `adapter_config.json` of PEFT, or undefined when it is none. */
export function parseAdapter(config: Json | undefined): AdapterFacts | undefined {
  if (!isObject(config)) return undefined;
  const kind = textIn(config, "peft_type")?.toLowerCase();
  if (kind === undefined) return undefined;
  return {
    kind,
    targets: textsIn(config, "target_modules"),
    ...present({
      baseModel: textIn(config, "base_model_name_or_path"),
      rank: sizeIn(config, "r"),
      task: textIn(config, "task_type"),
    }),
  };
}

/** `tokenizer_config.json`; newer repositories keep the template in a file of its own. */
export function parseTokenizer(config: Json | undefined, hasTemplateFile = false): TokenizerFacts {
  const object = isObject(config) ? config : undefined;
  const template = getOwn(object, "chat_template");
  const hasTemplate =
    (typeof template === "string" && template !== "") || (Array.isArray(template) && template.length > 0);
  const limit = sizeIn(object, "model_max_length");
  return {
    hasChatTemplate: hasTemplate || hasTemplateFile,
    ...present({
      kind: textIn(object, "tokenizer_class"),
      maxTokens: limit !== undefined && limit <= maxTokens ? limit : undefined,
    }),
  };
}

/** What a model's makers would have it sampled with. */
export interface GenerationDefaults {
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly maxNewTokens?: number;
}

/** `generation_config.json`. */
export function parseGeneration(config: Json | undefined): GenerationDefaults {
  if (!isObject(config)) return {};
  const fraction = (key: string) => {
    const value = getOwn(config, key);
    return typeof value === "number" && value >= 0 && value <= 100 ? value : undefined;
  };
  return present({
    temperature: fraction("temperature"),
    topP: fraction("top_p"),
    topK: sizeIn(config, "top_k"),
    maxNewTokens: sizeIn(config, "max_new_tokens"),
  });
}

/** `model_index.json` of diffusers: each part is `[library, class]`. */
export function parsePipeline(index: Json | undefined): DiffusionPipeline | undefined {
  if (!isObject(index)) return undefined;
  const className = textIn(index, "_class_name");
  if (className === undefined) return undefined;
  const components: Record<string, { library: string; type: string }> = {};
  for (const [name, value] of Object.entries(index).slice(0, maxComponents)) {
    if (name.startsWith("_") || !Array.isArray(value)) continue;
    const [library, type] = value;
    if (typeof library === "string" && typeof type === "string") setOwn(components, name, { library, type });
  }
  return { className, components };
}
