import type { Command } from "commander";
import { clusterHomeOption, kubeconfigOption, namespaceOption, outputOption } from "../commands/options.ts";
import { print } from "../print.ts";
import type { ExplainOptions } from "./command.ts";

export function declareExplain(program: Command): void {
  program
    .command("explain")
    .description("explain the state of an object, for example: trivium explain aimservice/chat")
    .argument("[subject...]", "kind/name of an AIM, OME or LLMKube object, or the name of a service")
    .addOption(namespaceOption())
    .addOption(kubeconfigOption())
    .addOption(clusterHomeOption())
    .addOption(outputOption("text", "json"))
    .option("--save <file>", "also write what the explanation is based on, without credentials")
    .option("--from <file>", "explain from such a file, without a cluster")
    .action(async (words: string[], options: ExplainOptions) => {
      const { explain } = await import("./command.ts");
      print(await explain(words, options));
    });
}
