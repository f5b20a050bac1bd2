import { runProgram as runBench } from "@trivium/load";
import {
  defaultGatewayPort,
  defaultHome,
  defaultPort,
  dialectDefinitions,
  dialectNames,
  parseDialects,
  parseFolder,
  parsePort,
  type UpOptions,
  up,
} from "@trivium/local";
import { runProgram as runWeights } from "@trivium/weights";
import { Command, InvalidArgumentError, Option } from "commander";
import { stringify } from "yaml";
import { type ExplainOptions, explain } from "./explain/command.ts";
import { becomeNodeAgent } from "./node-agent.ts";
import { version } from "./version.ts";

/** The command line, with every command it knows. */
export function createProgram(): Command {
  const program = new Command("trivium")
    .description("One control plane for model serving that understands AIM, OME and LLMKube manifests")
    .version(version)
    .showHelpAfterError("(run trivium --help for what there is)");
  program
    .command("up")
    .description("start the control plane on this machine and stay until Ctrl-C")
    .option("--home <folder>", "where everything is kept", defaultHome(process.env))
    .option("--host <address>", "address to listen on; anything but the loopback lets others in", "127.0.0.1")
    .option("--port <number>", "port of the Kubernetes API, 0 for any free one", portOption, defaultPort)
    .option("--gateway-port <number>", "port of the model gateway, 0 for any free one", portOption, defaultGatewayPort)
    .addOption(dialectsOption("the APIs to install and run, separated by commas"))
    .option(
      "--metrics-port <number>",
      "port of the gateway's metrics on 127.0.0.1, 0 for any free one (default: ten above the gateway)",
      portOption,
    )
    .option("--api-key-file <file>", "require one of the keys in this file from callers of the gateway")
    .option("--allowed-hosts <list>", "host names that the gateway answers for beside local ones, * for any")
    .option("--allowed-origins <list>", "web pages that may call the gateway beside local ones, * for any")
    .option("--no-demo", "do not serve the demo model")
    .option("--models-root <folder>", "what storage.path of OME models may begin with; repeatable", folderOption, [])
    .addOption(
      new Option("--containers <engine>", "run pods in containers instead of as processes").choices([
        "podman",
        "docker",
      ]),
    )
    .action(async (options: UpOptions) => up(options, (line) => console.log(line)));
  program
    .command("bench")
    .description("send load to a model server and measure it; trivium bench --help lists its options")
    .helpOption(false)
    .allowUnknownOption()
    .argument("[words...]")
    .action((words: string[]) => runPart(runBench, words));
  program
    .command("weights")
    .description("fetch, inspect and keep model weights; trivium weights --help lists its commands")
    .helpOption(false)
    .allowUnknownOption()
    .argument("[words...]")
    .action((words: string[]) => runPart(runWeights, words));
  program
    .command("node-agent")
    .description("hold models on a node of a cluster, one process a node; trivium node-agent --help lists its options")
    .helpOption(false)
    .allowUnknownOption()
    .argument("[words...]")
    .action((words: string[]) => becomeNodeAgent(words));
  program
    .command("explain")
    .description("say why an object is as it is, for example: trivium explain aimservice/chat")
    .argument("<subject...>", "kind/name of an object of AIM, OME or LLMKube")
    .option("-n, --namespace <name>", "its namespace; left out, the one of the kubeconfig")
    .option("--kubeconfig <file>", "the cluster to ask; left out, the one that kubectl would ask, or trivium up")
    .addOption(
      new Option("-o, --output <form>", "for people or for programs").choices(["text", "json"]).default("text"),
    )
    .action(async (words: string[], options: ExplainOptions) => {
      process.stdout.write(await explain(words, options));
    });
  program
    .command("crds")
    .description("print the custom resource definitions of every dialect as YAML")
    .addOption(dialectsOption("the APIs whose definitions are printed, separated by commas"))
    .action(({ dialects }: { dialects: readonly string[] }) => printDefinitions(dialects));
  return program;
}

type Part = (args: readonly string[], host: PartHost) => Promise<number>;
interface PartHost {
  readonly environment: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  readonly out: NodeJS.WriteStream;
  readonly err: NodeJS.WriteStream;
}

/** A program of its own, under our name: it reads its words itself. */
async function runPart(run: Part, words: readonly string[]): Promise<void> {
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
  const host = { environment: process.env, signal: stop.signal, out: process.stdout, err: process.stderr };
  process.exitCode = await run(words, host);
}

function portOption(text: string): number {
  const port = parsePort(text);
  if (typeof port === "string") throw new InvalidArgumentError(port);
  return port;
}

function folderOption(text: string, before: readonly string[]): string[] {
  const folder = parseFolder(text);
  if (folder === undefined) throw new InvalidArgumentError(`"${text}" is not the absolute path of a folder`);
  return [...before, folder];
}

const dialectsOption = (description: string): Option =>
  new Option("--dialects <list>", description).argParser(dialectList).default(dialectNames, dialectNames.join(","));

function dialectList(text: string): readonly string[] {
  const names = parseDialects(text);
  if (typeof names === "string") throw new InvalidArgumentError(names);
  return names;
}

function printDefinitions(dialects: readonly string[]): void {
  // Subschemas are shared objects in memory; a CRD has no aliases.
  const documents = dialectDefinitions(dialects).map((crd) =>
    stringify(crd, { aliasDuplicateObjects: false, lineWidth: 0 }),
  );
  process.stdout.write(`${documents.join("---\n")}`);
}
