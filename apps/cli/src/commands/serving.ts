import { defaultHome, dialectNames } from "@trivium/local";
import { type Command, InvalidArgumentError, Option } from "commander";
import { type ChatOptions, chat } from "../chat/command.ts";
import { type GetOptions, getServices } from "../get/command.ts";
import { type RunOptions, run } from "../run/command.ts";
import { type RemoveOptions, remove } from "../run/remove.ts";

/** The commands of people who want a model to answer: run, chat, get, rm. */
export function addServingCommands(program: Command): void {
  const home = () => new Option("--home <folder>", "folder of the control plane").default(defaultHome(process.env));
  const namespace = () => new Option("-n, --namespace <name>", "namespace of the service").default("default");
  program
    .command("run")
    .description("serve a model on this machine and chat with it")
    .argument("<model>", "GGUF file, org/repo[:quantization], hf://, https:// or s3:// address, or a manifest")
    .argument("[prompt...]", "one question instead of a conversation")
    .option("--name <name>", "name of the service (default: that of the file or repository)")
    .addOption(namespace())
    .addOption(new Option("--as <api>", "API of the manifests").choices(dialectNames).default("llmkube"))
    .option("--context <tokens>", "context size (default: that of the model, at most 8192)", tokensOption)
    .option("--serve", "serve it and print the address, without a conversation")
    .option("--print", "print the manifests and change nothing")
    .addOption(home())
    .action((what: string, prompt: string[], options: RunOptions) => run(what, prompt, options));
  program
    .command("chat")
    .description("chat with a service on this machine")
    .argument("<service>", "name of the service")
    .argument("[prompt...]", "one question instead of a conversation")
    .option("--system <text>", "system prompt")
    .addOption(namespace())
    .addOption(home())
    .action((service: string, prompt: string[], options: ChatOptions) =>
      chat(service, { ...options, prompt: prompt.join(" ") }),
    );
  program
    .command("get")
    .alias("ps")
    .description("list the services of all APIs, with the cause of each that is not ready")
    .option("-n, --namespace <name>", "namespace (default: that of the kubeconfig context)")
    .option("-A, --all-namespaces", "services of all namespaces")
    .option("--kubeconfig <file>", "kubeconfig of the cluster (default: that of kubectl, else of trivium up)")
    .addOption(new Option("-o, --output <form>", "output format").choices(["table", "json"]).default("table"))
    .action(async (options: GetOptions) => {
      process.stdout.write(await getServices(options));
    });
  program
    .command("rm")
    .description("delete a service on this machine, and the model that trivium run created for it")
    .argument("<service>", "name of the service")
    .addOption(namespace())
    .addOption(home())
    .action(async (service: string, options: RemoveOptions) => {
      for (const line of await remove(service, options)) console.log(line);
    });
}

function tokensOption(text: string): number {
  const tokens = Number(text);
  if (!Number.isInteger(tokens) || tokens < 1) throw new InvalidArgumentError(`"${text}" is not a number of tokens`);
  return tokens;
}
