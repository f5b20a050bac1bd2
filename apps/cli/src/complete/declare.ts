import type { Command } from "commander";
import { gatewayOption, servingPlaceOptions } from "../commands/options.ts";
import { countOption } from "../commands/values.ts";
import type { CompleteOptions } from "./command.ts";

export function declareComplete(program: Command): void {
  const command = program
    .command("complete")
    .description("let a service continue a text, without a conversation; the text can come from a pipe")
    .argument("<service>", "name of the service, or api/name")
    .argument("[text...]", "text to continue")
    .option("--max-tokens <number>", "maximum number of tokens", countOption, 128)
    .addOption(gatewayOption())
    .action(async (service: string, text: string[], options: CompleteOptions) => {
      const { complete } = await import("./command.ts");
      await complete(service, text.join(" "), options);
    });
  for (const option of servingPlaceOptions()) command.addOption(option);
}
