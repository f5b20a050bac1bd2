import type { Command } from "commander";
import { clusterHomeOption, kubeconfigOption, namespaceOption } from "../commands/options.ts";
import { countOption } from "../commands/values.ts";
import type { LogsOptions } from "./command.ts";

export function declareLogs(program: Command): void {
  program
    .command("logs")
    .description("print the logs of the pods of a service, each line with its pod where there are several")
    .argument("<service>", "name of the service, or api/name")
    .option("-f, --follow", "print new lines as they appear; Ctrl-C ends")
    .option("--tail <lines>", "newest lines of each container", countOption)
    .option("-c, --container <name>", "this container only, such as one that downloads")
    .option("--previous", "logs of the containers before their last restart")
    .addOption(namespaceOption())
    .addOption(kubeconfigOption())
    .addOption(clusterHomeOption())
    .action(async (service: string, options: LogsOptions) => {
      const { printLogs } = await import("./command.ts");
      await printLogs(service, options);
    });
}
