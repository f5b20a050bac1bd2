import { setImmediate } from "node:timers/promises";

/** Lets everything that is ready to run do so: some turns of the event loop. */
export async function turns(count = 6): Promise<void> {
  for (let i = 0; i < count; i += 1) await setImmediate();
}
