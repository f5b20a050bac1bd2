/** The thread that owns the model: native calls block (loading above all), and the HTTP side must answer all the while. */
import { parentPort, workerData } from "node:worker_threads";
import { loadBinding } from "../binding.ts";
import type { FromModel, LoadOrder, ToModel } from "./messages.ts";
import { NativeModel } from "./native-model.ts";

export async function runModelThread(): Promise<void> {
  const order = workerData as LoadOrder;
  const post = outbox();
  try {
    const thread = await load(order, post);
    parentPort!.on("message", (message: ToModel) => thread.take(message));
  } catch (error) {
    post({ is: "unloadable", why: error instanceof Error ? error.message : String(error) });
  }
}

/** All that happens in one turn of the loop goes over in one message: a token of every slot costs one wake-up. */
function outbox(): (message: FromModel) => void {
  let waiting: FromModel[] = [];
  return (message) => {
    if (waiting.push(message) > 1) return;
    setImmediate(() => {
      const batch = waiting;
      waiting = [];
      parentPort!.postMessage(batch);
    });
  };
}

async function load(order: LoadOrder, post: (message: FromModel) => void): Promise<NativeModel> {
  const { Context, build } = await loadBinding();
  const context = new Context({
    ...order.options,
    model: order.path,
    n_ctx: order.contextPerSlot * order.slots,
    n_parallel: order.slots,
    ctx_shift: false,
  });
  if (order.mmproj !== undefined && !context.initMultimodal({ path: order.mmproj, use_gpu: true }))
    throw new Error(`cannot load the projector ${order.mmproj}`);
  context.enableParallelMode({ n_parallel: order.slots, n_batch: order.slotBatch });
  const thread = new NativeModel(context, order, post);
  post({ is: "loaded", model: await thread.describe({ Context, build }) });
  return thread;
}
