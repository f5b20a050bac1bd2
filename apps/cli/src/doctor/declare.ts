import type { Command } from "commander";
import { homeOption, kubeconfigOption, namespaceOption, outputOption } from "../commands/options.ts";
import { print } from "../print.ts";
import type { DoctorOptions } from "./command.ts";

export function declareDoctor(program: Command): void {
  program
    .command("doctor")
    .description(
      "check this machine, the cluster, hubs and registries, with what to do for each; exit code 1 on problems",
    )
    .addOption(namespaceOption())
    .addOption(kubeconfigOption())
    .addOption(homeOption())
    .addOption(outputOption("text", "json"))
    .option("--no-outside", "do not contact hubs and registries")
    .action(async (options: DoctorOptions) => {
      const { examine } = await import("./command.ts");
      const { text, exitCode } = await examine(options);
      print(text);
      process.exitCode = exitCode;
    });
}
