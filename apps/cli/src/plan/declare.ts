import type { Command } from "commander";
import { clusterHomeOption, kubeconfigOption, namespaceOption, outputOption } from "../commands/options.ts";
import { print } from "../print.ts";
import type { PlanOptions } from "./command.ts";

export function declarePlan(program: Command): void {
  program
    .command("plan")
    .description("print what applying manifests would create, change, restart and delete; exit code 2 if anything")
    .requiredOption("-f, --filename <file>", "manifests; - for standard input; repeatable", repeated)
    .addOption(namespaceOption())
    .addOption(kubeconfigOption())
    .addOption(clusterHomeOption())
    .addOption(outputOption("text", "json"))
    .option("--facts <file>", "plan on saved objects and answers, without a cluster")
    .option("--save <file>", "also write the state of the cluster for --facts, without credentials")
    .action(async (options: PlanOptions) => {
      const { plan } = await import("./command.ts");
      const { text, exitCode } = await plan(options);
      print(text);
      process.exitCode = exitCode;
    });
}

const repeated = (value: string, before: readonly string[] = []): string[] => [...before, value];
