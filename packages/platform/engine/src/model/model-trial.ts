/**
 * Native code ends the process over some model files and chat templates, with exit code 134 and without a message: an assertion
 * about the vocabulary, the number of layers, the shape of a tensor. So both are tried first where that does no harm: in a process of
 * its own.
 */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { closeSync, fstatSync, openSync, readSync, unlinkSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { loadBinding } from "../binding.ts";

export interface ModelTrial {
  readonly path: string;
  readonly bytes: number;
  /** The template that was passed; the model's own counts when left out, and none where there is neither. */
  readonly template: string | undefined;
  readonly hasTemplate: boolean;
  readonly useJinja: boolean;
}

export type TrialOutcome =
  | { readonly is: "usable" }
  /** The template can be loaded, and fails for the simplest chat. */
  | { readonly is: "doubtful"; readonly why: string }
  | { readonly is: "bad-template" }
  /** Native code stops over the file. */
  | { readonly is: "bad-model"; readonly why: string | undefined };

/** Marks the process that tries. */
export const trialVariable = "TRIVIUM_ENGINE_MODEL_TRIAL";

/** A template that takes longer than this for one word never ends. */
const patience = 60_000;

/** Of larger files only the vocabulary is tried: the system would read the whole file for the trial. */
const wholeFileLimit = 2 * 1024 ** 3;

/** Each step is reported as it is taken; the last one received tells what the process ended over. */
const steps = { start: "start", model: "model", template: "template" } as const;

/** What the process that tried left behind. */
export interface TrialRun {
  readonly output: string;
  readonly errors: string;
  readonly signal: string | null;
}

/** Tries a model in another process. What fails with a message there is left to the real load to explain. */
export async function tryModel(program: URL, trial: ModelTrial): Promise<TrialOutcome> {
  const log = openLog();
  try {
    const child = spawn(process.execPath, [...process.execArgv, fileURLToPath(program)], {
      stdio: ["pipe", "pipe", log ?? "ignore"],
      env: { ...process.env, [trialVariable]: "1", GGML_NO_BACKTRACE: "1" },
      timeout: patience,
      killSignal: "SIGKILL",
    });
    child.stdin?.on("error", () => {});
    child.stdin?.end(JSON.stringify(trial));
    const ended = new Promise<string | null>((resolve) => {
      child.once("close", (_, signal) => resolve(signal));
      // No process could be started at all: the model is not to blame.
      child.once("error", () => resolve(null));
    });
    const [output, signal] = await Promise.all([child.stdout === null ? "" : text(child.stdout), ended]);
    return outcomeOf({ output, errors: log === undefined ? "" : lastOf(log), signal });
  } finally {
    if (log !== undefined) closeSync(log);
  }
}

/**
 * A file without a name. Native code prints hundreds of lines at once and does not wait for a pipe that is full, so a pipe loses the
 * last line, the one that matters. Without a writable temporary folder the outcome has no reason.
 */
function openLog(): number | undefined {
  const path = join(tmpdir(), `trivium-model-trial-${process.pid}-${randomUUID()}`);
  try {
    const log = openSync(path, "wx+", 0o600);
    unlinkSync(path);
    return log;
  } catch {
    return undefined;
  }
}

function lastOf(log: number): string {
  const last = Buffer.alloc(10_000);
  const length = readSync(log, last, 0, last.length, Math.max(0, fstatSync(log).size - last.length));
  return last.toString("utf8", 0, length);
}

const crashes: readonly (string | null)[] = ["SIGABRT", "SIGSEGV", "SIGFPE", "SIGILL", "SIGBUS"];

export function outcomeOf({ output, errors, signal }: TrialRun): TrialOutcome {
  // Native code may write lines of its own between ours.
  const lines = output.split("\n");
  const isTaken = (step: string): boolean => lines.includes(step);
  if (!isTaken(steps.start)) return { is: "usable" };
  if (!isTaken(steps.model)) {
    // The binding also crashes after a failure that native code explains; the real load has that explanation.
    const isCrash = crashes.includes(signal) && !/error loading model/.test(errors);
    return isCrash ? { is: "bad-model", why: assertionOf(errors) } : { is: "usable" };
  }
  if (!isTaken(steps.template)) return { is: "bad-template" };
  const why = lines.find((line) => line.startsWith("fails "))?.slice("fails ".length);
  return why === undefined ? { is: "usable" } : { is: "doubtful", why: JSON.parse(why) as string };
}

/** The condition that did not hold, without the place in the sources of llama.cpp. */
function assertionOf(errors: string): string | undefined {
  const line = errors.split("\n").findLast((one) => /GGML_ASSERT|GGML_ABORT|terminate called|what\(\):/.test(one));
  return line
    ?.replace(/^.*?(GGML_ASSERT|GGML_ABORT)/, "$1")
    .trim()
    .slice(0, 200);
}

/** The process that tries: whatever it ends over, it reports before what it was about to do. */
export async function runModelTrial(): Promise<void> {
  const trial = JSON.parse(await text(process.stdin)) as ModelTrial;
  const { Context } = await loadBinding();
  const load = (chat_template: string, vocab_only: boolean) =>
    new Context({
      model: trial.path,
      vocab_only,
      n_ctx: 64,
      n_batch: 64,
      n_ubatch: 64,
      n_threads: 1,
      n_gpu_layers: 0,
      no_extra_bufts: true,
      use_mmap: true,
      chat_template,
    });
  report(steps.start);
  load("chatml", trial.bytes > wholeFileLimit);
  report(steps.model);
  if (trial.hasTemplate) tryTemplate(load(trial.template ?? "", true), trial);
  else report(steps.template);
  // Taking native code down in order can crash; without order it cannot.
  process.kill(process.pid, "SIGKILL");
}

function tryTemplate(
  context: { getFormattedChat(messages: unknown, template: undefined, options: object): unknown },
  { useJinja }: ModelTrial,
): void {
  report(steps.template);
  try {
    context.getFormattedChat([{ role: "user", content: "Hello" }], undefined, { jinja: useJinja });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    report(`fails ${JSON.stringify(lastLine(message))}`);
  }
}

const report = (line: string): void => void writeSync(1, `\n${line}\n`);

/** Native code shows the place in the template over several lines, and states in the last one what is wrong. */
function lastLine(message: string): string {
  const lines = message.split("\n").filter((line) => line.trim() !== "");
  return (lines.at(-1) ?? message).trim().slice(0, 300);
}
