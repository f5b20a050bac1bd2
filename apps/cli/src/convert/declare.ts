import { dialectNames } from "@trivium/local";
import { type Command, Option } from "commander";
import { outputOption } from "../commands/options.ts";
import { printable, printData } from "../print.ts";
import { isQuiet } from "../quiet.ts";
import type { ConvertOptions } from "./command.ts";

export function declareConvert(program: Command): void {
  program
    .command("convert")
    .description("write the services of a file for another API; standard error reports what became of each field")
    .requiredOption("-f, --filename <file>", "manifests of services and what they use; - for standard input")
    .addOption(new Option("--to <api>", "API to write them for").choices(dialectNames).makeOptionMandatory())
    .addOption(outputOption("yaml", "json"))
    .action(async (options: ConvertOptions) => {
      const { convert } = await import("./command.ts");
      const { manifests, ledger } = convert(options);
      printData(manifests);
      if (!isQuiet()) process.stderr.write(printable(ledger));
    });
}
