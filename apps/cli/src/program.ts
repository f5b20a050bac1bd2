import {
  defaultGatewayPort,
  defaultHome,
  defaultPort,
  dialectDefinitions,
  parsePort,
  type UpOptions,
  up,
} from "@trivium/local";
import { Command, InvalidArgumentError, Option } from "commander";
import { stringify } from "yaml";
import { version } from "./version.ts";

/** The command line, with every command it knows. */
export function createProgram(): Command {
  const program = new Command("trivium")
    .description("One control plane for model serving that understands AIM, OME and LLMKube manifests")
    .version(version)
    .showHelpAfterError("(run trivium --help for what there is)");
  program
    .command("up")
    .description("start the control plane on this machine and stay until Ctrl-C")
    .option("--home <folder>", "where everything is kept", defaultHome(process.env))
    .option("--host <address>", "address to listen on; anything but the loopback lets others in", "127.0.0.1")
    .option("--port <number>", "port of the Kubernetes API, 0 for any free one", portOption, defaultPort)
    .option("--gateway-port <number>", "port of the model gateway, 0 for any free one", portOption, defaultGatewayPort)
    .option("--no-demo", "do not serve the demo model")
    .addOption(
      new Option("--containers <engine>", "run pods in containers instead of as processes").choices([
        "podman",
        "docker",
      ]),
    )
    .action(async (options: UpOptions) => up(options, (line) => console.log(line)));
  program
    .command("crds")
    .description("print the custom resource definitions of every dialect as YAML")
    .action(() => printDefinitions());
  return program;
}

function portOption(text: string): number {
  const port = parsePort(text);
  if (typeof port === "string") throw new InvalidArgumentError(port);
  return port;
}

function printDefinitions(): void {
  // Subschemas are shared objects in memory; a CRD has no aliases.
  const documents = dialectDefinitions().map((crd) => stringify(crd, { aliasDuplicateObjects: false, lineWidth: 0 }));
  process.stdout.write(`${documents.join("---\n")}`);
}
