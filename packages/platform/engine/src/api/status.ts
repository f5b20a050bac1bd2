import type { Engine } from "../engine.ts";
import { type Call, sendJson, sendText } from "../http/reply.ts";
import { notSupported } from "./api-error.ts";
import { vocabularyOf } from "./tokens.ts";

/** GET /slots */
export function answerSlots(engine: Engine, call: Call): void {
  if (!engine.settings.server.hasSlots)
    throw notSupported("This server does not support slots endpoint. Start it with `--slots`");
  const slots = engine.pool.slots.map(({ id, task }) => ({
    id,
    n_ctx: engine.capacity.contextPerSlot,
    speculative: engine.settings.model.speculation !== undefined,
    is_processing: task !== undefined,
    ...(task === undefined
      ? {}
      : {
          id_task: task.id,
          n_prompt_tokens: task.prompt.length,
          params: task.params,
          next_token: [
            {
              has_next_token: true,
              n_remain: task.limit < 0 ? -1 : task.limit - task.decoded,
              n_decoded: task.decoded,
            },
          ],
        }),
  }));
  sendJson(call.response, 200, JSON.stringify(slots));
}

/** POST /slots/N?action=…: the binding cannot save or restore a slot. */
export function answerSlotAction(): never {
  throw notSupported("This server does not support slots action");
}

/** POST /infill */
export function answerInfill(): never {
  throw notSupported("Infill is not supported by this server; use /completion with the tokens that the model expects");
}

/** GET /metrics */
export function answerMetrics(engine: Engine, call: Call): void {
  if (!engine.settings.server.hasMetrics)
    throw notSupported("This server does not support metrics endpoint. Start it with `--metrics`");
  sendText(call.response, 200, "text/plain; version=0.0.4", engine.tally.render(engine.pool));
}

/** GET /props */
export function answerProps(engine: Engine, call: Call): void {
  const { settings, about, capacity } = engine;
  const { n_predict: limit, seed, ...sampling } = settings.sampling;
  const params = {
    ...sampling,
    seed: seed < 0 ? 4294967295 : seed,
    max_tokens: limit,
    n_predict: limit,
    ignore_eos: settings.ignoreEos,
    stream: false,
    n_probs: 0,
    post_sampling_probs: false,
    timings_per_token: false,
    dynatemp_range: 0,
    dynatemp_exponent: 1,
    n_keep: 0,
    n_discard: 0,
    min_keep: 0,
    lora: [],
    reasoning_format: settings.chat.reasoningFormat,
  };
  sendJson(
    call.response,
    200,
    JSON.stringify({
      default_generation_settings: { params, n_ctx: capacity.contextPerSlot },
      total_slots: capacity.slots,
      model_alias: engine.name,
      model_ftype: quantizationOf(engine),
      model_path: settings.model.path,
      modalities: { vision: about.vision, video: false, audio: about.audio },
      endpoint_slots: settings.server.hasSlots,
      endpoint_props: settings.server.hasProps,
      endpoint_metrics: settings.server.hasMetrics,
      ui: false,
      chat_template: settings.model.chatTemplate ?? about.metadata["tokenizer.chat_template"] ?? "",
      chat_template_caps: {
        supports_tools: about.caps.tools,
        supports_tool_calls: about.caps.toolCalls,
        supports_system_role: about.caps.systemRole,
        supports_parallel_tool_calls: about.caps.parallelToolCalls,
      },
      bos_token: about.bos,
      eos_token: about.eos,
      build_info: about.build,
      is_sleeping: false,
    }),
  );
}

/** POST /props: llama-server has nothing to change by it either. */
export function answerChangeProps(engine: Engine, call: Call): void {
  if (!engine.settings.server.hasProps)
    throw notSupported("This server does not support changing global properties. Start it with `--props`");
  sendJson(call.response, 200, '{"success":true}');
}

/** GET /v1/models */
export function answerModels(engine: Engine, call: Call): void {
  const { about, capacity, settings, name } = engine;
  const { adapterNames, aliases, tags } = settings.server;
  const media = about.vision || about.audio;
  const listed = {
    name,
    model: name,
    modified_at: "",
    size: "",
    digest: "",
    type: "model",
    description: "",
    tags: [""],
    capabilities: media ? ["completion", "multimodal"] : ["completion"],
    parameters: "",
    details: {
      parent_model: "",
      format: "gguf",
      family: "",
      families: [""],
      parameter_size: "",
      quantization_level: "",
    },
  };
  const data = {
    id: name,
    aliases: aliases.length === 0 ? [name] : aliases,
    tags,
    object: "model",
    created: engine.startedAt,
    owned_by: "llamacpp",
    architecture: { input_modalities: inputsOf(engine), output_modalities: ["text"] },
    meta: {
      ...(about.vocabularyType === undefined ? {} : { vocab_type: about.vocabularyType }),
      n_vocab: vocabularyOf(engine),
      n_ctx: capacity.contextPerSlot,
      n_ctx_train: capacity.trainedContext,
      n_embd: about.embeddingLength,
      n_params: about.parameters,
      size: about.bytes,
      ftype: quantizationOf(engine),
    },
  };
  const named = { object: "model", created: engine.startedAt, owned_by: "llamacpp", parent: name };
  const adapters = adapterNames.map((id) => ({ id, ...named }));
  sendJson(call.response, 200, JSON.stringify({ models: [listed], object: "list", data: [data, ...adapters] }));
}

const inputsOf = ({ about }: Engine): string[] => [
  "text",
  ...(about.vision ? ["image"] : []),
  ...(about.audio ? ["audio"] : []),
];

/** The description ends with it: "llama 7B Q4_K - Medium". */
function quantizationOf(engine: Engine): string {
  return engine.about.description.split(" ").slice(2).join(" ");
}
