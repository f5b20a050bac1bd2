/**
 * Native code ends the process over a chat template that it cannot parse, with exit code 134 and without a word. So the
 * template is tried first where that does no harm: in a process of its own, on the vocabulary of the model alone.
 */
import { spawn } from "node:child_process";
import { writeSync } from "node:fs";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { loadBinding } from "../binding.ts";

export interface TemplateTrial {
  readonly path: string;
  /** The template that was passed; the model's own counts when left out. */
  readonly template: string | undefined;
  readonly useJinja: boolean;
}

export type TemplateOutcome =
  | { readonly is: "usable" }
  /** It can be loaded, and fails for the simplest chat. */
  | { readonly is: "doubtful"; readonly why: string }
  | { readonly is: "unusable" };

/** Marks the process that tries a template. */
export const trialVariable = "TRIVIUM_ENGINE_TEMPLATE_TRIAL";

/** A template that takes longer than this for one word never ends. */
const patience = 60_000;

/** Each step is said as it is taken; the last one heard tells what the process ended over. */
const steps = { vocabulary: "vocabulary\n", template: "template\n" } as const;

/** Tries a template in another process. What goes wrong before the template is reached is left to the real load to explain. */
export async function checkTemplate(program: URL, trial: TemplateTrial): Promise<TemplateOutcome> {
  const child = spawn(process.execPath, [...process.execArgv, fileURLToPath(program)], {
    stdio: ["pipe", "pipe", "ignore"],
    env: { ...process.env, [trialVariable]: "1" },
    timeout: patience,
    killSignal: "SIGKILL",
  });
  child.stdin.on("error", () => {});
  child.stdin.end(JSON.stringify(trial));
  const reported = await Promise.race([
    text(child.stdout),
    // No process could be started at all: the template is not to blame.
    new Promise<string>((resolve) => child.once("error", () => resolve(""))),
  ]);
  return outcomeOf(reported);
}

export function outcomeOf(reported: string): TemplateOutcome {
  // Native code may write lines of its own between ours.
  const lines = reported.split("\n");
  const isHeard = (step: string): boolean => lines.includes(step.trimEnd());
  if (!isHeard(steps.vocabulary)) return { is: "usable" };
  if (!isHeard(steps.template)) return { is: "unusable" };
  const why = lines.find((line) => line.startsWith("fails "))?.slice("fails ".length);
  return why === undefined ? { is: "usable" } : { is: "doubtful", why: JSON.parse(why) as string };
}

/** The process that tries: whatever it ends over, it says before what it was about to do. */
export async function runTemplateTrial(): Promise<void> {
  const { path, template, useJinja } = JSON.parse(await text(process.stdin)) as TemplateTrial;
  const { Context } = await loadBinding();
  const load = (chat_template: string) =>
    new Context({ model: path, vocab_only: true, n_ctx: 64, n_threads: 1, use_mmap: true, chat_template });
  load("chatml");
  writeSync(1, `\n${steps.vocabulary}`);
  const context = load(template ?? "");
  writeSync(1, `\n${steps.template}`);
  try {
    context.getFormattedChat([{ role: "user", content: "Hello" }], undefined, { jinja: useJinja });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    writeSync(1, `\nfails ${JSON.stringify(lastLine(message))}\n`);
  }
  process.kill(process.pid, "SIGKILL");
}

/** Native code shows the place in the template over several lines, and says in the last one what is wrong. */
function lastLine(message: string): string {
  const lines = message.split("\n").filter((line) => line.trim() !== "");
  return (lines.at(-1) ?? message).trim().slice(0, 300);
}
