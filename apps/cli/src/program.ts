import { runProgram as runBench } from "@trivium/load";
import { dialectDefinitions } from "@trivium/local";
import { runProgram as runWeights } from "@trivium/weights";
import { Command, Option } from "commander";
import { stringify } from "yaml";
import { dialectsOption } from "./commands/dialects-option.ts";
import { addMachineCommands } from "./commands/machine.ts";
import { addServingCommands } from "./commands/serving.ts";
import { type ExplainOptions, explain } from "./explain/command.ts";
import { type ManifestOptions, printManifests, setOption } from "./manifests.ts";
import { becomeNodeAgent } from "./node-agent.ts";
import { version } from "./version.ts";

/** The command line, with every command it knows. */
export function createProgram(): Command {
  const program = new Command("trivium")
    .description("One control plane for model serving that understands AIM, OME and LLMKube manifests")
    .version(version)
    .showHelpAfterError("(see trivium --help)");
  addMachineCommands(program);
  addServingCommands(program);
  program
    .command("bench")
    .description("benchmark a model server; see trivium bench --help")
    .helpOption(false)
    .allowUnknownOption()
    .argument("[args...]")
    .action((words: string[]) => runPart(runBench, words));
  program
    .command("weights")
    .description("download, inspect and store model weights; see trivium weights --help")
    .helpOption(false)
    .allowUnknownOption()
    .argument("[args...]")
    .action((words: string[]) => runPart(runWeights, words));
  program
    .command("node-agent")
    .description("download models to a node of a cluster, one process per node; see trivium node-agent --help")
    .helpOption(false)
    .allowUnknownOption()
    .argument("[args...]")
    .action((words: string[]) => becomeNodeAgent(words));
  program
    .command("explain")
    .description("explain the state of an object, for example: trivium explain aimservice/chat")
    .argument("<subject...>", "kind/name of an AIM, OME or LLMKube object")
    .option("-n, --namespace <name>", "namespace of the object (default: that of the kubeconfig context)")
    .option("--kubeconfig <file>", "kubeconfig of the cluster (default: that of kubectl, else of trivium up)")
    .addOption(new Option("-o, --output <form>", "output format").choices(["text", "json"]).default("text"))
    .action(async (words: string[], options: ExplainOptions) => {
      process.stdout.write(await explain(words, options));
    });
  program
    .command("crds")
    .description("print the CustomResourceDefinitions of all dialects as YAML")
    .addOption(dialectsOption("APIs to print, separated by commas"))
    .action(({ dialects }: { dialects: readonly string[] }) => printDefinitions(dialects));
  program
    .command("manifests")
    .description("print the objects of an installation as YAML, as the Helm chart creates them")
    .option("-n, --namespace <name>", "namespace of the installation", "trivium-system")
    .option("--release <name>", "prefix of the names of all objects", "trivium")
    .option("--image-registry <prefix>", "registry and path of the images")
    .option("--watch-namespace <name>", "reconcile objects of this namespace only")
    .addOption(dialectsOption("APIs to reconcile, separated by commas"))
    .option("--set <name=value>", "another value of the chart, as JSON or text; repeatable", setOption, {})
    .action((options: ManifestOptions) => printManifests(options));
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

function printDefinitions(dialects: readonly string[]): void {
  // Subschemas are shared objects in memory; a CRD has no aliases.
  const documents = dialectDefinitions(dialects).map((crd) =>
    stringify(crd, { aliasDuplicateObjects: false, lineWidth: 0 }),
  );
  process.stdout.write(`${documents.join("---\n")}`);
}
