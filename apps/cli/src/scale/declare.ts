import type { Command } from "commander";
import type { AccessOptions } from "../access.ts";
import { clusterHomeOption, kubeconfigOption, namespaceOption } from "../commands/options.ts";
import { countOption } from "../commands/values.ts";
import { print } from "../print.ts";
import type { StartOptions } from "./command.ts";

export function declareScale(program: Command): void {
  program
    .command("stop")
    .description("stop the pods of a service until trivium start; the service, its model and its address are kept")
    .argument("<service>", "name of the service, or api/name")
    .addOption(namespaceOption())
    .addOption(kubeconfigOption())
    .addOption(clusterHomeOption())
    .action(async (service: string, options: AccessOptions) => {
      const { stop } = await import("./command.ts");
      print(`${await stop(service, options)}\n`);
    });
  program
    .command("start")
    .description("start a service that was stopped")
    .argument("<service>", "name of the service, or api/name")
    .option("--replicas <number>", "number of replicas (default: as before, at least 1)", countOption)
    .addOption(namespaceOption())
    .addOption(kubeconfigOption())
    .addOption(clusterHomeOption())
    .action(async (service: string, options: StartOptions) => {
      const { start } = await import("./command.ts");
      print(`${await start(service, options)}\n`);
    });
}
