import type { Command } from "commander";
import { clusterHomeOption, kubeconfigOption, namespaceOption } from "../commands/options.ts";
import { countOption } from "../commands/values.ts";
import { print } from "../print.ts";
import type { ScaleOptions } from "./command.ts";

export function declareScale(program: Command): void {
  const action = (replicas: (options: ScaleOptions) => number) => async (service: string, options: ScaleOptions) => {
    const { scale } = await import("./command.ts");
    print(`${await scale(service, replicas(options), options)}\n`);
  };
  program
    .command("stop")
    .description("stop the pods of a service; the service, its model and its address are kept")
    .argument("<service>", "name of the service, or api/name")
    .addOption(namespaceOption())
    .addOption(kubeconfigOption())
    .addOption(clusterHomeOption())
    .action(action(() => 0));
  program
    .command("start")
    .description("start a service that was stopped")
    .argument("<service>", "name of the service, or api/name")
    .option("--replicas <number>", "number of replicas", countOption, 1)
    .addOption(namespaceOption())
    .addOption(kubeconfigOption())
    .addOption(clusterHomeOption())
    .action(action(({ replicas = 1 }) => replicas));
}
