import { defaultGatewayPort, defaultPort, parseFolder, parsePort, type UpOptions } from "@trivium/local";
import { type Command, InvalidArgumentError, Option } from "commander";
import { dialectsOption } from "./dialects-option.ts";
import { homeOption, outputOption } from "./options.ts";

/** The control plane of this machine: up, down, restart, status. */
export function declareMachine(program: Command): void {
  program
    .command("up")
    .description("start the control plane on this machine; stop it with Ctrl-C")
    .option("-d, --detach", "start it in the background; trivium down stops it")
    .addOption(homeOption("folder for all data"))
    .option("--host <address>", "address to listen on; any other than loopback is open to the network", "127.0.0.1")
    .option("--port <number>", "port of the Kubernetes API; 0 for any free port", portOption, defaultPort)
    .option("--gateway-port <number>", "port of the model gateway; 0 for any free port", portOption, defaultGatewayPort)
    .option("--any-port", "take a free port in place of one that is in use; the next start takes it again")
    .addOption(dialectsOption("APIs to install and run, separated by commas"))
    .option(
      "--metrics-port <number>",
      "port of the gateway's metrics on 127.0.0.1; 0 for any free port (default: gateway port + 10)",
      portOption,
    )
    .option("--no-dashboard", "do not serve the dashboard")
    .option(
      "--dashboard-port <number>",
      "port of the dashboard on 127.0.0.1; 0 for any free port (default: gateway port + 20)",
      portOption,
    )
    .option("--api-key-file <file>", "require one of the API keys in this file from clients of the gateway")
    .option("--allowed-hosts <list>", "host names the gateway accepts besides local ones; * for any")
    .option("--allowed-origins <list>", "origins of web pages that can call the gateway besides local ones; * for any")
    .option("--no-demo", "do not serve the demo model")
    .option("--models-root <folder>", "folder that storage.path of OME models can be in; repeatable", folderOption, [])
    .addOption(
      new Option("--adopt <policy>", "what to do with objects that an upstream operator has served").choices([
        "never",
        "plan",
        "safe",
        "all",
      ]),
    )
    .addOption(
      new Option("--containers <engine>", "run pods as containers instead of processes").choices(["podman", "docker"]),
    )
    .option("--gpu-shares <number>", "pods that can share one GPU (default: 1)", sharesOption)
    .action(async (options: UpOptions & { readonly detach?: boolean }) => {
      // The name of the command comes first there: options of the program are taken out, wherever they were given.
      const given = program.args.slice(1);
      if (options.detach === true) return (await import("../machine/command.ts")).upInBackground(options.home, given);
      return (await import("../machine/foreground.ts")).upInForeground(options);
    });
  program
    .command("down")
    .description("stop the control plane of this machine; objects and models are kept")
    .addOption(homeOption())
    .action(async ({ home }: HomeOption) => (await import("../machine/command.ts")).down(home));
  program
    .command("restart")
    .description("stop the control plane of this machine and start it in the background, with the same options")
    .addOption(homeOption())
    .action(async ({ home }: HomeOption) => (await import("../machine/command.ts")).restart(home));
  program
    .command("status")
    .description("print whether the control plane of this machine runs, where, and its services")
    .addOption(homeOption())
    .addOption(outputOption("text", "json"))
    .action(async ({ home, output }: HomeOption & { readonly output: "text" | "json" }) => {
      const { printStatus, printStatusData } = await import("../machine/status.ts");
      return output === "json" ? printStatusData(home) : printStatus(home);
    });
}

interface HomeOption {
  readonly home: string;
}

function portOption(text: string): number {
  const port = parsePort(text);
  if (typeof port === "string") throw new InvalidArgumentError(port);
  return port;
}

function sharesOption(text: string): number {
  const shares = Number(text);
  if (Number.isInteger(shares) && shares >= 1 && shares <= 64) return shares;
  throw new InvalidArgumentError(`"${text}" is not a valid number of shares (expected 1 to 64)`);
}

function folderOption(text: string, before: readonly string[]): string[] {
  const folder = parseFolder(text);
  if (folder === undefined) throw new InvalidArgumentError(`"${text}" is not an absolute path`);
  return [...before, folder];
}
