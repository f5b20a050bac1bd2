import type { Command } from "commander";
import { clusterHomeOption, kubeconfigOption, namespaceOption, outputOption } from "../commands/options.ts";
import { print } from "../print.ts";
import type { EventsOptions } from "./command.ts";

export function declareEvents(program: Command): void {
  program
    .command("events")
    .description("list the events of a service and of everything it owns, or of a namespace; newest last")
    .argument("[service]", "name of the service, or api/name")
    .addOption(namespaceOption())
    .addOption(kubeconfigOption())
    .addOption(clusterHomeOption())
    .addOption(outputOption("table", "json"))
    .action(async (service: string | undefined, options: EventsOptions) => {
      const { listEvents } = await import("./command.ts");
      print(await listEvents(service, options));
    });
}
