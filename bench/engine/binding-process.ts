import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { demoModel, grammar, type Mode, prompt, tokens, tokensPerSecond } from "./contestant.ts";

interface Native {
  completion(options: object, callback: () => void): Promise<{ tokens_predicted: number }>;
  enableParallelMode(options: object): void;
  queueCompletion(
    options: object,
    callback: (error: unknown, event: { token?: string; tokens_evaluated?: number }) => void,
  ): void;
}

// What the engine does for its own process; without it the queue would look slower than it can be.
try {
  writeFileSync("/proc/self/timerslack_ns", "1");
} catch {
  // Not on this system.
}
const way = process.argv[2];
const binding = createRequire(new URL("../../packages/platform/engine/src/", import.meta.url))(
  "@fugood/llama.node",
) as {
  loadModule(): Promise<{ LlamaContext: new (options: object) => Native }>;
};
const { LlamaContext } = await binding.loadModule();
const context = new LlamaContext({ model: demoModel, n_ctx: 2048, n_parallel: 4, n_threads: 1, ctx_shift: false });
if (way === "queue") context.enableParallelMode({ n_parallel: 4, n_batch: 512 });

const options = (seed: number): object => ({
  prompt: `<s>${prompt}`,
  grammar,
  n_predict: tokens,
  seed,
  temperature: 0.8,
  dry_multiplier: 0,
});

async function one(seed: number): Promise<number> {
  if (way === "completion") return (await context.completion(options(seed), () => {})).tokens_predicted;
  return new Promise((resolve) => {
    context.queueCompletion(options(seed), (_, event) => {
      if (event.token === undefined) resolve(event.tokens_evaluated ?? 0);
    });
  });
}

process.on("message", async (mode: Mode) => {
  process.send!(await tokensPerSecond(mode.parallel, one));
});
process.send!("ready");
