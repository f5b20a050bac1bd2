import type { Engine } from "../engine.ts";
import type { Settings } from "../flags/settings.ts";
import { type Call, sendJson } from "../http/reply.ts";
import { badRequest } from "./api-error.ts";
import type { Body } from "./fields.ts";

interface LoraFile {
  readonly path: string;
  readonly scaled: number;
}

const filesOf = ({ model }: Settings): readonly LoraFile[] =>
  (model.native.lora_list as readonly LoraFile[] | undefined) ?? [];

/** GET /lora-adapters */
export function answerAdapters({ settings }: Engine, call: Call): void {
  const adapters = filesOf(settings).map(({ path, scaled }, id) => ({ id, path, scale: scaled }));
  sendJson(call.response, 200, JSON.stringify(adapters));
}

/** A request for an adapter by its name, as with servers that serve each under its own. */
function namedAdapter({ model }: Body, { server }: Settings): readonly object[] | undefined {
  const id = typeof model === "string" ? server.adapterNames.indexOf(model) : -1;
  return id < 0 ? undefined : [{ id, scale: 1 }];
}

/** The adapters that a request lists: `[{"id": 0, "scale": 0.5}]`. Others are not applied to it. */
export function loraOf(body: Body, settings: Settings): { readonly lora?: readonly object[] } {
  const lora = body.lora ?? namedAdapter(body, settings);
  if (lora === undefined) return {};
  if (settings.model.mmproj !== undefined) throw badRequest("'lora' is not supported with --mmproj; use llama-server");
  if (!Array.isArray(lora)) throw badRequest("'lora' must be a list of objects with id and scale");
  const count = filesOf(settings).length;
  return {
    lora: lora.map((entry: unknown) => {
      const { id, scale = 1 } = (typeof entry === "object" && entry !== null ? entry : {}) as Record<string, unknown>;
      if (typeof id !== "number" || !Number.isInteger(id) || id < 0 || id >= count)
        throw badRequest(`'lora' must list ids from 0 to ${count - 1}; see GET /lora-adapters`);
      if (typeof scale !== "number" || !Number.isFinite(scale)) throw badRequest("'scale' of 'lora' must be a number");
      return { id, scale };
    }),
  };
}
