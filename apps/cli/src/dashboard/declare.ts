import { parsePort } from "@trivium/local";
import { type Command, InvalidArgumentError } from "commander";
import { clusterHomeOption, gatewayOption, kubeconfigOption, namespaceOption } from "../commands/options.ts";
import type { DashboardCommandOptions } from "./command.ts";

export function declareDashboard(program: Command): void {
  program
    .command("dashboard")
    .description("serve the dashboard for the cluster of a kubeconfig on this machine; stop it with Ctrl-C")
    .option("--port <number>", "port on 127.0.0.1 (default: 8120, or any free port where it is taken)", portOption)
    .option("--read-only", "refuse every change of an object")
    .option("--open", "open it in the browser")
    .addOption(namespaceOption())
    .addOption(kubeconfigOption())
    .addOption(clusterHomeOption())
    .addOption(gatewayOption())
    .action(async (options: DashboardCommandOptions) => (await import("./command.ts")).serveForKubeconfig(options));
}

function portOption(text: string): number {
  const port = parsePort(text);
  if (typeof port === "string") throw new InvalidArgumentError(port);
  return port;
}
