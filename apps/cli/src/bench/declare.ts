import type { Command } from "commander";
import type { EndpointOptions } from "../chat/endpoint.ts";
import { servingPlaceOptions } from "../commands/options.ts";

export function declareBench(program: Command): void {
  const bench = program
    .command("bench")
    .description(
      "benchmark a service or another model server: a table, and a page with plots; see trivium bench --help",
    )
    .helpOption(false)
    .allowUnknownOption()
    .argument("[service]", "name of a service; --url measures another server")
    .argument("[options...]", "options of the benchmark, such as --concurrency 1,4 --max-time 30s")
    .action(async (_service: string | undefined, _words: string[], options: EndpointOptions, command: Command) => {
      const { bench } = await import("./command.ts");
      await bench(command.args, options);
    });
  for (const option of servingPlaceOptions()) bench.addOption(option);
}
