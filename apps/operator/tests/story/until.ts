import { setTimeout } from "node:timers/promises";

/** Tries until it does not throw; the last complaint is thrown on when patience ends. */
export async function until<T>(attempt: () => T | Promise<T>, patience = 240_000): Promise<T> {
  const deadline = Date.now() + patience;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
    await setTimeout(50);
  }
}
