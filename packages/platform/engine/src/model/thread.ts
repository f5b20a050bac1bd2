/** The thread that owns the model: native calls block (loading above all), and the HTTP side must answer all the while. */
import { once } from "node:events";
import { writeSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { loadAddon } from "../addon.ts";
import { loadBatched, NativeFailure } from "../batched/load.ts";
import { loadBinding } from "../binding.ts";
import { FugoodModel } from "./fugood-model.ts";
import { explainFailure } from "./load-failure.ts";
import type { FromModel, LoadOrder, ModelMessage, ModelThread } from "./messages.ts";

export async function runModelThread(): Promise<void> {
  const order = workerData as LoadOrder;
  const post = outbox();
  try {
    const thread = await load(order, post);
    parentPort!.on("message", (message: ModelMessage) => thread.take(message));
  } catch (error) {
    post({ is: "unloadable", why: error instanceof Error ? error.message : String(error) });
    // The program ends now. A thread that ended first would free what was loaded, and native code prints lines about that after the cause.
    parentPort!.on("message", () => {});
  }
}

/** All that happens in one turn of the loop goes over in one message: a token of every slot costs one wake-up. */
function outbox(): (message: FromModel) => void {
  let waiting: FromModel[] = [];
  return (message) => {
    if (waiting.push(message) > 1) return;
    globalThis.setImmediate(() => {
      const batch = waiting;
      waiting = [];
      parentPort!.postMessage(batch);
    });
  };
}

/** Only one binding can see pictures; the other one is several times faster. */
async function load(order: LoadOrder, post: (message: FromModel) => void): Promise<ModelThread> {
  const lines: string[] = [];
  const state = { isLoaded: false };
  // Once the model serves, nobody collects what native code complains of; it may be the last thing before it ends the process.
  const report = (line: string): void => void (state.isLoaded ? writeSync(2, `E ${line}\n`) : lines.push(line));
  const told = once(parentPort!, "message");
  const opened = order.mmproj === undefined ? loadAddon(report, order.build) : undefined;
  opened?.catch(() => {});
  await told;
  const addon = await opened;
  if (addon === undefined) return loadFugood(order, post);
  const loaded = await loadBatched(addon, order, post).catch(async (error: unknown) => {
    if (!(error instanceof NativeFailure)) throw error;
    // What native code reports comes by the loop, and may come after the failure itself.
    await setImmediate();
    await setImmediate();
    throw new Error(explainFailure({ path: order.path, header: order.file, nativeLines: lines }));
  });
  state.isLoaded = true;
  post({ is: "loaded", model: loaded.about });
  return loaded.thread;
}

async function loadFugood(order: LoadOrder, post: (message: FromModel) => void): Promise<ModelThread> {
  const { Context, build } = await loadBinding();
  const { chatTemplate, slots } = order;
  const context = new Context({
    ...order.options,
    ...(chatTemplate === undefined ? {} : { chat_template: chatTemplate }),
    model: order.path,
    n_ctx: order.contextPerSlot * slots,
    n_parallel: slots,
    ctx_shift: false,
  });
  if (order.mmproj !== undefined && !context.initMultimodal({ path: order.mmproj, use_gpu: true }))
    throw new Error(`cannot load the projector ${order.mmproj}`);
  context.enableParallelMode({ n_parallel: slots, n_batch: order.batchSize });
  const thread = new FugoodModel(context, order, post);
  post({ is: "loaded", model: await thread.describe({ Context, build }) });
  return thread;
}
