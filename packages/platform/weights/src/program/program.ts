import { Command, CommanderError, InvalidArgumentError } from "commander";
import { exitCodes, stoppedFault, WeightsError } from "../fault.ts";
import { fixedLayouts } from "../store/layouts.ts";
import type { Reference } from "../store/references.ts";
import { type Context, type FetchOptions, runFetch, type SourceOptions } from "./fetch-command.ts";
import { runInspect } from "./inspect-command.ts";
import { jsonReporter, quietReporter, type Reporter, type Streams, textReporter } from "./reporter.ts";
import { openStore, runFsck, runList, runPrune, runReference, runRemove } from "./store-commands.ts";
import { runVerify } from "./verify-command.ts";
import { parseBytes } from "./words.ts";

const epilogue = `
Models:  org/repo, hf://org/repo[@revision][/file], s3://bucket/key, http(s)://…, oci://registry/repo[:tag][@digest],
         oci://n/{namespace}/b/{bucket}/o/{path}, pvc://[namespace:]claim/path, file:///path, /path, vendor://name/…
Credentials are read from environment variables and the files of the cloud tools, never from the command line.
Reads:   HF_TOKEN, HF_ENDPOINT, AWS_… and ~/.aws, OCI_CLI_… and ~/.oci/config, DOCKER_CONFIG, DOCKER_AUTH_CONFIG, HTTPS_PROXY, HTTP_PROXY, NO_PROXY,
         SSL_CERT_FILE, TRIVIUM_WEIGHTS_CERTIFICATES (a folder), TRIVIUM_WEIGHTS_STORE, TRIVIUM_WEIGHTS_ROOTS,
         TRIVIUM_WEIGHTS_PEERS (other stores on the same disk), TRIVIUM_WEIGHTS_PVC_ROOTS, TRIVIUM_WEIGHTS_VENDORS, TRIVIUM_WEIGHTS_INSTANCE_METADATA=allowed
Exits:   0 success, 1 internal error, 2 invalid input, 3 not found, 4 access denied, 5 mismatch, 6 no space, 7 unreachable,
         130 stopped`;

/** What the program touches of the process it runs in. */
export interface ProgramHost extends Streams {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  /** No progress; what reads JSON has a use for it. */
  readonly isQuiet?: boolean;
}

/** Runs the program and returns its exit code. */
export async function runProgram(args: readonly string[], host: ProgramHost): Promise<number> {
  const { environment, signal } = host;
  const reporter = args.includes("--json")
    ? jsonReporter(host)
    : host.isQuiet
      ? quietReporter(host)
      : textReporter(host);
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
    "Downloads model weights in parallel, resumes and verifies them, and stores each file once.",
  );
  program.configureOutput({ writeOut: (text) => out.write(text), writeErr: (text) => err.write(text) });
  program.exitOverride().addHelpText("after", epilogue);
  withSourceOptions(program.command("fetch").description("download a model to a folder"))
    .requiredOption("--to <dir>", "target folder")
    .option("--sha256 <hex>", "expected SHA-256 of the file")
    .option("--sha256-of <file>", "file that --sha256 is for, if the model has several")
    .option(
      "--store <dir>",
      "folder for the downloaded blobs, can be shared (default: <to>/.trivium)",
      context.environment.TRIVIUM_WEIGHTS_STORE,
    )
    .option("--quota <bytes>", "maximum size of the store", bytes)
    .option("--limit-rate <bytes>", "maximum bytes per second", bytes)
    .option("--connections <n>", "maximum connections per file", count)
    .option("--attempts <n>", "number of consecutive failures before giving up (default: 8)", count)
    .option(
      "--stall-timeout <seconds>",
      "close a connection that receives no data for this long (default: 30)",
      seconds,
    )
    .option("--layout <name>", `folder structure below --to: ${Object.keys(fixedLayouts).join(", ")}`, "plain")
    .option("--model-id <org/name>", "model ID, for layouts that use it")
    .option("--name <file>", "name of the file in the target folder")
    .option("--link", "link files of this machine in the target folder instead of copying them", false)
    .option("--if-absent", "do not contact the source if the model is already stored", false)
    .option("--progress-port <n>", "serve the progress as JSON on this port; 0 for any free port", port)
    .option("--progress-host <address>", "address to serve the progress on", "127.0.0.1")
    .action((uri: string, options: FetchOptions) => runFetch(uri, options, context));
  withSourceOptions(
    program.command("inspect").description("show the files and headers of a model without downloading it"),
  ).action((uri: string, options: SourceOptions) => runInspect(uri, options, context));
  withJson(program.command("verify").description("verify the SHA-256 of a file"))
    .argument("<file>", "path of the file")
    .requiredOption("--sha256 <hex>", "expected SHA-256")
    .action((file: string, { sha256 }: { sha256: string }) => runVerify(file, sha256, context));
  withStore(program.command("ls").description("list the models in a store"), context).action((options: StoreOption) =>
    runList(openStore(options.store), context),
  );
  addReferenceCommands(program, context);
  withStore(program.command("prune").description("remove unused models, least recently used first"), context)
    .option("--keep <bytes>", "stop when the store is not larger than this", bytes, 0)
    .action((options: StoreOption & { keep: number }) => runPrune(openStore(options.store), options.keep, context));
  withStore(program.command("remove").description("delete the folder of a model, and its blobs if unused"), context)
    .argument("<folder>", "folder that shows the model")
    .option("--unfinished <source>", "delete unfinished downloads of this source too")
    .action((folder: string, options: StoreOption & { unfinished?: string }) =>
      runRemove(openStore(options.store), { folder, unfinished: options.unfinished }, context),
    );
  withStore(program.command("fsck").description("verify every blob and repair the store"), context).action(
    (options: StoreOption) => runFsck(openStore(options.store), context),
  );
  return program;
}

function addReferenceCommands(program: Command, context: Context): void {
  const words = [
    ["pin", "protect a model from eviction", "add"],
    ["unpin", "allow the eviction of a pinned model", "drop"],
    ["hold", "protect a model from eviction while it is used", "add"],
    ["release", "end a hold of a model", "drop"],
  ] as const;
  for (const [word, about, change] of words) {
    const command = withStore(program.command(word).description(about), context).argument(
      "<model>",
      "key or source of the model",
    );
    if (word === "hold" || word === "release") command.requiredOption("--as <holder>", "name of what uses the model");
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
  return withJson(command).option("--store <dir>", "folder of the store", environment.TRIVIUM_WEIGHTS_STORE);
}

function withSourceOptions(command: Command): Command {
  return withJson(command)
    .argument("<uri>", "URI of the model")
    .option("--include <glob>", "only matching files; repeatable", collect, [])
    .option("--allow-root <dir>", "folder that local paths can be in; repeatable", collect, [])
    .option("--pvc-root <[claim=]dir>", "mount path of a claim, for pvc://; repeatable", collect, [])
    .option("--platform <os/arch>", "platform of an image index (default: that of this machine)")
    .option("--public-only", "reject loopback, link-local and private addresses", false);
}

function withJson(command: Command): Command {
  return command.exitOverride().option("--json", "print one JSON object per line");
}

function collect(value: string, before: readonly string[]): string[] {
  return [...before, value];
}

function bytes(text: string): number {
  const value = parseBytes(text);
  if (value === undefined || value <= 0) throw new InvalidArgumentError("expected a size such as 500M or 2Gi");
  return value;
}

function port(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0 || value > 65_535) throw new InvalidArgumentError("expected 0 to 65535");
  return value;
}

function seconds(text: string): number {
  const value = Number(text);
  if (!(value > 0 && value <= 86_400)) throw new InvalidArgumentError("expected a number of seconds");
  return value;
}

function count(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > 64) throw new InvalidArgumentError("expected 1 to 64");
  return value;
}
