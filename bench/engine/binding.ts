import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Contestant, Mode } from "./contestant.ts";

/** The native binding in a process of its own, driven without HTTP: one by one, or by its queue over four slots. */
export async function startBinding(way: "completion" | "queue"): Promise<Contestant> {
  const program = fileURLToPath(new URL("./binding-process.ts", import.meta.url));
  const child = fork(program, [way], { stdio: ["ignore", "ignore", "ignore", "ipc"] });
  await once(child, "message");
  return {
    name: way === "queue" ? "the binding's queue, directly" : "the binding one by one, directly",
    async measure(mode: Mode) {
      // One by one it can do only one at a time.
      if (way === "completion" && mode.parallel > 1) return undefined;
      child.send(mode);
      const [rate] = (await once(child, "message")) as [number];
      return rate;
    },
    async close() {
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}
