import type { Command } from "commander";

export function declareBench(program: Command): void {
  program
    .command("bench")
    .description(
      "benchmark a service or another model server: a table, and a page with plots; see trivium bench --help",
    )
    .helpOption(false)
    .allowUnknownOption()
    .argument("[service]", "name of a service of this machine; --url measures another server")
    .argument("[options...]", "options of trivium-bench, such as --concurrency 1,4 --max-time 30s")
    .action(async (_service: string | undefined, _options: string[], _given, command: Command) => {
      const { bench } = await import("./command.ts");
      await bench(command.args);
    });
}
