import { type Command, Option } from "commander";
import { clusterHomeOption, kubeconfigOption, outputOption } from "../commands/options.ts";
import { print } from "../print.ts";
import type { AdoptOptions } from "./command.ts";

export function declareAdopt(program: Command): void {
  program
    .command("adopt")
    .description("print what the operator would do with objects of an upstream operator; exit code 2 if anything")
    .option("--plan", "required: print the plan; the operator itself takes over, by its option --adopt")
    .addOption(new Option("--policy <policy>", "what is agreed to").choices(["safe", "all"]).default("safe"))
    .addOption(kubeconfigOption())
    .addOption(clusterHomeOption())
    .addOption(outputOption("text", "json"))
    .action(async (options: AdoptOptions & { readonly plan?: boolean }, command: Command) => {
      // Not declared as required: commander would not look for a misspelt option before it misses this one.
      if (options.plan !== true) command.error("error: required option '--plan' not specified");
      const { planAdoption } = await import("./command.ts");
      const { text, exitCode } = await planAdoption(options);
      print(text);
      process.exitCode = exitCode;
    });
}
