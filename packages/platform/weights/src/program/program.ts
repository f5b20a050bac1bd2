import { Command, CommanderError, InvalidArgumentError } from "commander";
import { exitCodes, stoppedFault, WeightsError } from "../fault.ts";
import { fixedLayouts } from "../store/layouts.ts";
import type { Reference } from "../store/references.ts";
import { type Context, type FetchOptions, runFetch, type SourceOptions } from "./fetch-command.ts";
import { runInspect } from "./inspect-command.ts";
import { jsonReporter, type Reporter, type Streams, textReporter } from "./reporter.ts";
import { openStore, runFsck, runList, runPrune, runReference } from "./store-commands.ts";
import { runVerify } from "./verify-command.ts";
import { parseBytes } from "./words.ts";

const epilogue = `
Models:  org/repo, hf://org/repo[@revision][/file], s3://bucket/key, http(s)://…, oci://registry/repo[:tag][@digest],
         oci://n/{namespace}/b/{bucket}/o/{path}, pvc://[namespace:]claim/path, file:///path, /path, vendor://name/…
Secrets come from the environment and the files of the cloud tools only, never from the command line.
Read:    HF_TOKEN, HF_ENDPOINT, AWS_… and ~/.aws, OCI_CLI_… and ~/.oci/config, DOCKER_CONFIG, HTTPS_PROXY, HTTP_PROXY, NO_PROXY,
         SSL_CERT_FILE, TRIVIUM_WEIGHTS_CERTIFICATES (a folder), TRIVIUM_WEIGHTS_STORE, TRIVIUM_WEIGHTS_ROOTS,
         TRIVIUM_WEIGHTS_PVC_ROOTS, TRIVIUM_WEIGHTS_VENDORS, TRIVIUM_WEIGHTS_INSTANCE_METADATA=allowed
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
  if (signal.aborted) {
    // Whatever broke off when it was asked to stop broke off for that reason.
    reporter.failure(error instanceof WeightsError && error.kind === "stopped" ? error : stoppedFault());
    return exitCodes.stopped;
  }
  reporter.failure(error);
  return error instanceof WeightsError ? exitCodes[error.kind] : 1;
}

function buildProgram(context: Context, { out, err }: Streams): Command {
  const program = new Command("trivium-weights").description(
    "Fetches model weights: parallel, resumable, verified, once.",
  );
  program.configureOutput({ writeOut: (text) => out.write(text), writeErr: (text) => err.write(text) });
  program.exitOverride().addHelpText("after", epilogue);
  withSourceOptions(program.command("fetch").description("bring a model into a folder"))
    .requiredOption("--to <dir>", "the folder to show the files in")
    .option("--sha256 <hex>", "what the one file must hash to")
    .option("--sha256-of <file>", "which file that is, where there are several")
    .option(
      "--store <dir>",
      "keep the blobs here, shared with others (default: <to>/.trivium)",
      context.environment.TRIVIUM_WEIGHTS_STORE,
    )
    .option("--quota <bytes>", "the most the store may take", bytes)
    .option("--limit-rate <bytes>", "the most bytes a second", bytes)
    .option("--connections <n>", "the most connections a file", count)
    .option("--attempts <n>", "give up after so many failures in a row (default: 8)", count)
    .option("--stall-timeout <seconds>", "give a connection up that brings nothing for so long (default: 30)", seconds)
    .option("--layout <name>", `where under --to: ${Object.keys(fixedLayouts).join(", ")}`, "plain")
    .option("--model-id <org/name>", "for layouts that go by it")
    .option("--name <file>", "show the one file under this name")
    .option("--if-absent", "do not ask the source when it was fetched before", false)
    .option("--progress-port <n>", "answer there with the progress as JSON; 0 for any free port", port)
    .option("--progress-host <address>", "the address to answer on", "127.0.0.1")
    .action((uri: string, options: FetchOptions) => runFetch(uri, options, context));
  withSourceOptions(program.command("inspect").description("say what a model is, without downloading it")).action(
    (uri: string, options: SourceOptions) => runInspect(uri, options, context),
  );
  withJson(program.command("verify").description("read a file where it lies and compare its digest"))
    .argument("<file>", "its path")
    .requiredOption("--sha256 <hex>", "what it must hash to")
    .action((file: string, { sha256 }: { sha256: string }) => runVerify(file, sha256, context));
  withStore(program.command("ls").description("list the models of a store"), context).action((options: StoreOption) =>
    runList(openStore(options.store), context),
  );
  addReferenceCommands(program, context);
  withStore(program.command("prune").description("remove models that nobody uses, longest unused first"), context)
    .option("--keep <bytes>", "stop when the store takes no more than this", bytes, 0)
    .action((options: StoreOption & { keep: number }) => runPrune(openStore(options.store), options.keep, context));
  withStore(program.command("fsck").description("read every blob and repair the store"), context).action(
    (options: StoreOption) => runFsck(openStore(options.store), context),
  );
  return program;
}

function addReferenceCommands(program: Command, context: Context): void {
  const words = [
    ["pin", "never evict a model", "add"],
    ["unpin", "let a pinned model be evicted again", "drop"],
    ["hold", "keep a model while somebody uses it", "add"],
    ["release", "say that somebody does not use it any more", "drop"],
  ] as const;
  for (const [word, about, change] of words) {
    const command = withStore(program.command(word).description(about), context).argument(
      "<model>",
      "its key or source",
    );
    if (word === "hold" || word === "release") command.requiredOption("--as <holder>", "who uses it");
    command.action((name: string, options: StoreOption & { as?: string }) => {
      const reference: Reference = options.as === undefined ? { is: "pin" } : { is: "holder", name: options.as };
      return runReference(openStore(options.store), { name, reference, change }, context);
    });
  }
}

interface StoreOption {
  readonly store: string | undefined;
}

function withStore(command: Command, { environment }: Context): Command {
  return withJson(command).option("--store <dir>", "the store", environment.TRIVIUM_WEIGHTS_STORE);
}

function withSourceOptions(command: Command): Command {
  return withJson(command)
    .argument("<uri>", "the model")
    .option("--include <glob>", "only files that match; may be given again", collect, [])
    .option("--allow-root <dir>", "a folder that local paths may lie in; may be given again", collect, [])
    .option("--pvc-root <[claim=]dir>", "where a claim is mounted, for pvc://; may be given again", collect, [])
    .option("--platform <os/arch>", "which image of an index; this machine's own if not given")
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

function port(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0 || value > 65_535) throw new InvalidArgumentError("expected 0 to 65535");
  return value;
}

function seconds(text: string): number {
  const value = Number(text);
  if (!(value > 0 && value <= 86_400)) throw new InvalidArgumentError("expected seconds");
  return value;
}

function count(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > 64) throw new InvalidArgumentError("expected 1 to 64");
  return value;
}
