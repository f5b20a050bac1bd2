import {
  backgroundLog,
  defaultGatewayPort,
  defaultHome,
  defaultPort,
  findRunning,
  parseFolder,
  parsePort,
  startInBackground,
  stopRunning,
  type UpOptions,
  up,
} from "@trivium/local";
import { Refusal } from "@trivium/std";
import { type Command, InvalidArgumentError, Option } from "commander";
import { getServices } from "../get/command.ts";
import { ownCommand } from "../run/command.ts";
import { dialectsOption } from "./dialects-option.ts";

/** The control plane of this machine: up, down, status. */
export function addMachineCommands(program: Command): void {
  const home = () => new Option("--home <folder>", "folder for all data").default(defaultHome(process.env));
  program
    .command("up")
    .description("start the control plane on this machine; stop it with Ctrl-C")
    .option("-d, --detach", "start it in the background; trivium down stops it")
    .addOption(home())
    .option("--host <address>", "address to listen on; any other than loopback is open to the network", "127.0.0.1")
    .option("--port <number>", "port of the Kubernetes API; 0 for any free port", portOption, defaultPort)
    .option("--gateway-port <number>", "port of the model gateway; 0 for any free port", portOption, defaultGatewayPort)
    .addOption(dialectsOption("APIs to install and run, separated by commas"))
    .option(
      "--metrics-port <number>",
      "port of the gateway's metrics on 127.0.0.1; 0 for any free port (default: gateway port + 10)",
      portOption,
    )
    .option("--api-key-file <file>", "require one of the API keys in this file from clients of the gateway")
    .option("--allowed-hosts <list>", "host names the gateway accepts besides local ones; * for any")
    .option("--allowed-origins <list>", "origins of web pages that can call the gateway besides local ones; * for any")
    .option("--no-demo", "do not serve the demo model")
    .option("--models-root <folder>", "folder that storage.path of OME models can be in; repeatable", folderOption, [])
    .addOption(
      new Option("--containers <engine>", "run pods as containers instead of processes").choices(["podman", "docker"]),
    )
    .action((options: UpOptions & { readonly detach?: boolean }) =>
      options.detach === true ? upInBackground(options.home) : up(options, (line) => console.log(line)),
    );
  program
    .command("down")
    .description("stop the control plane of this machine; objects and models are kept")
    .addOption(home())
    .action(async (options: { readonly home: string }) => {
      const stopped = await stopRunning(options.home);
      console.log(stopped === undefined ? "no control plane runs" : `stopped process ${stopped.pid}`);
    });
  program
    .command("status")
    .description("print whether the control plane of this machine runs, where, and its services")
    .addOption(home())
    .action((options: { readonly home: string }) => printStatus(options.home));
}

/** The same command line, in a process of its own. */
async function upInBackground(home: string): Promise<void> {
  const running = findRunning(home);
  if (running !== undefined) throw new Refusal(`already running as process ${running.pid}; stop it with trivium down`);
  const words = process.argv.slice(3).filter((word) => word !== "-d" && word !== "--detach");
  const { url, pid, ports } = await startInBackground({ home, args: words, program: ownCommand() });
  console.log(`control plane   ${url}, process ${pid}`);
  console.log(`gateway         http://127.0.0.1:${ports.gateway}`);
  console.log(`log             ${backgroundLog(home)}`);
}

async function printStatus(home: string): Promise<void> {
  const running = findRunning(home);
  if (running === undefined) {
    console.log("no control plane runs; start it with trivium up -d");
    process.exitCode = 3;
    return;
  }
  const { url, pid, ports, kubeconfig, startedAt } = running;
  console.log(`control plane   ${url}, process ${pid}, since ${startedAt}`);
  console.log(`gateway         http://127.0.0.1:${ports.gateway}`);
  console.log(`kubeconfig      ${kubeconfig}\n`);
  process.stdout.write(await getServices({ kubeconfig, allNamespaces: true, output: "table" }));
}

function portOption(text: string): number {
  const port = parsePort(text);
  if (typeof port === "string") throw new InvalidArgumentError(port);
  return port;
}

function folderOption(text: string, before: readonly string[]): string[] {
  const folder = parseFolder(text);
  if (folder === undefined) throw new InvalidArgumentError(`"${text}" is not an absolute path`);
  return [...before, folder];
}
