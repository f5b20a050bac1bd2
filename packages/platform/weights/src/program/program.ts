import { Command, CommanderError, InvalidArgumentError } from "commander";
import { exitCodes, WeightsError } from "../fault.ts";
import { type FetchOptions, runFetch, runInspect, type SourceOptions, type Surroundings } from "./fetch-command.ts";
import { jsonReporter, type Reporter, type Streams, textReporter } from "./reporter.ts";
import { openStore, runFsck, runList, runPrune } from "./store-commands.ts";
import { parseBytes } from "./words.ts";

const epilogue = `
Models:  org/repo, hf://org/repo[@revision][/file], s3://bucket/key, http(s)://…, file:///path, /path
Secrets come from the environment only: HF_TOKEN, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY.
Also read: HF_ENDPOINT, AWS_REGION, AWS_ENDPOINT_URL, HTTPS_PROXY, HTTP_PROXY, NO_PROXY, SSL_CERT_FILE,
           TRIVIUM_WEIGHTS_STORE, TRIVIUM_WEIGHTS_ROOTS
Exit:    0 done, 1 our fault, 2 refused input, 3 not found, 4 not allowed, 5 mismatch, 6 no space, 7 unreachable, 130 stopped`;

/** What the program touches of the process it runs in. */
export interface ProgramHost extends Streams {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

/** Runs the program and returns its exit code. */
export async function runProgram(args: readonly string[], host: ProgramHost): Promise<number> {
  const { environment, signal } = host;
  const reporter = args.includes("--json") ? jsonReporter(host) : textReporter(host);
  try {
    await buildProgram({ environment, signal, reporter }, host).parseAsync(args, { from: "user" });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.refused;
    return failed(error, signal, reporter);
  }
}

function failed(error: unknown, signal: AbortSignal, reporter: Reporter): number {
  reporter.failure(error);
  if (signal.aborted) return exitCodes.stopped;
  return error instanceof WeightsError ? exitCodes[error.kind] : 1;
}

function buildProgram(around: Surroundings, { out, err }: Streams): Command {
  const program = new Command("trivium-weights").description(
    "Fetches model weights: parallel, resumable, verified, once.",
  );
  program.configureOutput({ writeOut: (text) => out.write(text), writeErr: (text) => err.write(text) });
  program.exitOverride().addHelpText("after", epilogue);
  withSourceOptions(program.command("fetch").description("bring a model into a folder"))
    .requiredOption("--to <dir>", "the folder to show the files in")
    .option("--sha256 <hex>", "what the one file must hash to")
    .option(
      "--store <dir>",
      "keep the blobs here, shared with others (default: <to>/.trivium)",
      around.environment.TRIVIUM_WEIGHTS_STORE,
    )
    .option("--quota <bytes>", "the most the store may take", bytes)
    .option("--limit-rate <bytes>", "the most bytes a second", bytes)
    .option("--connections <n>", "the most connections a file", count)
    .action((uri: string, options: FetchOptions) => runFetch(uri, options, around));
  withSourceOptions(program.command("inspect").description("say what a model consists of")).action(
    (uri: string, options: SourceOptions) => runInspect(uri, options, around),
  );
  withStore(program.command("ls").description("list the models of a store"), around).action((options: StoreOption) =>
    runList(openStore(options.store), around),
  );
  withStore(program.command("prune").description("remove models that nobody uses, longest unused first"), around)
    .option("--keep <bytes>", "stop when the store takes no more than this", bytes, 0)
    .action((options: StoreOption & { keep: number }) => runPrune(openStore(options.store), options.keep, around));
  withStore(program.command("fsck").description("read every blob and repair the store"), around).action(
    (options: StoreOption) => runFsck(openStore(options.store), around),
  );
  return program;
}

interface StoreOption {
  readonly store: string | undefined;
}

function withStore(command: Command, { environment }: Surroundings): Command {
  return withJson(command).option("--store <dir>", "the store", environment.TRIVIUM_WEIGHTS_STORE);
}

function withSourceOptions(command: Command): Command {
  return withJson(command)
    .argument("<uri>", "the model")
    .option("--include <glob>", "only files that match; may be given again", collect, [])
    .option("--allow-root <dir>", "a folder that local paths may lie in; may be given again", collect, [])
    .option("--public-only", "refuse loopback, link-local and private addresses", false);
}

function withJson(command: Command): Command {
  return command.exitOverride().option("--json", "one JSON object a line");
}

function collect(value: string, before: readonly string[]): string[] {
  return [...before, value];
}

function bytes(text: string): number {
  const value = parseBytes(text);
  if (value === undefined || value <= 0) throw new InvalidArgumentError("expected bytes, such as 500M or 2GiB");
  return value;
}

function count(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > 64) throw new InvalidArgumentError("expected 1 to 64");
  return value;
}
