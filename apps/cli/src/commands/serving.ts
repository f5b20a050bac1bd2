import { dialectNames } from "@trivium/local";
import { type Command, InvalidArgumentError, Option } from "commander";
import type { AccessOptions } from "../access.ts";
import type { ChatOptions } from "../chat/command.ts";
import type { GetOptions } from "../get/command.ts";
import { print, printData } from "../print.ts";
import type { RunOptions } from "../run/command.ts";
import {
  clusterHomeOption,
  gatewayOption,
  kubeconfigOption,
  namespaceOption,
  outputOption,
  servingPlaceOptions,
} from "./options.ts";

/** The commands of people who want a model to answer: run, chat, get, rm. */
export function declareServing(program: Command): void {
  const run = program
    .command("run")
    .description("serve a model on this machine, or on the cluster of a kubeconfig, and chat with it")
    .argument("<model>", "GGUF file, org/repo[:quantization], hf://, https:// or s3:// address, a manifest, or demo")
    .argument("[prompt...]", "one question instead of a conversation")
    .option("--name <name>", "name of the service (default: that of the file or repository)")
    .addOption(
      new Option(
        "--as <api>",
        "API of the manifests (default: llmkube, or one that downloads from the source)",
      ).choices(dialectNames),
    )
    .option("--context <tokens>", "context size (default: that of the model, at most 8192)", tokensOption)
    .option("--no-gpu", "serve it on the processor, although an engine build for the GPU is installed")
    .option("--serve", "serve it and print the address, without a conversation")
    .option("--print", "print the manifests and change nothing")
    .action(async (what: string, prompt: string[], options: RunOptions) => {
      const command = await import("../run/command.ts");
      await command.run(what, prompt, options);
    });
  const chat = program
    .command("chat")
    .description("chat with a service of this machine, or of the cluster of the kubeconfig")
    .argument("<service>", "name of the service, or api/name")
    .argument("[prompt...]", "one question instead of a conversation")
    .option("--system <text>", "system prompt")
    .addOption(gatewayOption())
    .action(async (service: string, prompt: string[], options: ChatOptions) => {
      const command = await import("../chat/command.ts");
      await command.chat(service, { ...options, prompt: prompt.join(" ") });
    });
  program
    .command("get")
    .alias("ps")
    .description("list the services of all APIs, with the cause of each that is not ready")
    .argument("[kind]", "kind of the services, such as aimservice or isvc.ome.io; or the name of one")
    .argument("[name]", "name of one service")
    .addOption(namespaceOption())
    .option("-A, --all-namespaces", "services of all namespaces")
    .addOption(kubeconfigOption())
    .addOption(clusterHomeOption())
    .option("-w, --watch", "print the table again after each change; Ctrl-C ends")
    .addOption(outputOption("table", "wide", "json", "yaml"))
    .action(async (kind: string | undefined, name: string | undefined, options: GetOptions) => {
      const { get, readWords } = await import("../get/command.ts");
      await get(
        { ...options, ...readWords(kind, name) },
        options.output === "yaml" || options.output === "json" ? printData : print,
      );
    });
  const rm = program
    .command("rm")
    .description("delete a service, and the model that trivium run created for it")
    .argument("<service>", "name of the service, or api/name where several APIs have one")
    .action(async (service: string, options: AccessOptions) => {
      const { remove } = await import("../run/remove.ts");
      for (const line of await remove(service, options)) print(`${line}\n`);
    });
  for (const command of [run, chat, rm]) for (const option of servingPlaceOptions()) command.addOption(option);
}

function tokensOption(text: string): number {
  const tokens = Number(text);
  if (!Number.isInteger(tokens) || tokens < 1) throw new InvalidArgumentError(`"${text}" is not a number of tokens`);
  return tokens;
}
