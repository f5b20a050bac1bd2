import type { Command } from "commander";
import { clusterHomeOption, kubeconfigOption, namespaceOption, outputOption } from "../commands/options.ts";
import type { TopOptions } from "./command.ts";

export function declareTop(program: Command): void {
  program
    .command("top")
    .description("show memory, tokens per second, running and waiting requests of each service")
    .argument("[service]", "name of the service, or api/name (default: all)")
    .option("-w, --watch", "refresh every 2 seconds; Ctrl-C ends")
    .addOption(namespaceOption())
    .addOption(kubeconfigOption())
    .addOption(clusterHomeOption())
    .addOption(outputOption("table", "json"))
    .action(async (service: string | undefined, options: TopOptions) => {
      const { top } = await import("./command.ts");
      await top(service, options);
    });
}
