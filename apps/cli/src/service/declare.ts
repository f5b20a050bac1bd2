import type { Command } from "commander";
import { homeOption } from "../commands/options.ts";

interface InstallOptions {
  readonly home: string;
  readonly print?: boolean;
}

export function declareService(program: Command): void {
  const service = program
    .command("service")
    .description("start the control plane with your login, as a user unit of systemd or launchd");
  service
    .command("install")
    .description("install the unit and start it; it runs trivium up with the options after --")
    .argument("[options...]", "options of trivium up, such as --no-demo")
    .option("--print", "print the unit and change nothing")
    .addOption(homeOption())
    .action(async (words: string[], options: InstallOptions) => {
      const { installService } = await import("./command.ts");
      await installService(words, options);
    });
  service
    .command("uninstall")
    .description("stop the unit and remove it; objects and models are kept")
    .action(async () => (await import("./command.ts")).uninstallService());
}
