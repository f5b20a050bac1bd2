import { faultOfAllowedHost, splitList } from "@trivium/std";
import { type Command, InvalidArgumentError, Option } from "commander";

/** Whether and how the operator serves the dashboard. */
export interface DashboardOptions {
  /** Left out: it is not served. */
  readonly port?: number;
  /** Host names of an Ingress or another proxy in front of it. */
  readonly hosts: readonly string[];
  readonly isReadOnly: boolean;
  /** Address of the gateway, and of its metrics. */
  readonly gateway?: string;
  readonly gatewayMetrics?: string;
}

interface Flags {
  readonly dashboardPort?: number;
  readonly dashboardHosts: readonly string[];
  readonly dashboardReadOnly?: boolean;
  readonly dashboardGateway?: string;
  readonly dashboardGatewayMetrics?: string;
}

export const addDashboardOptions = (command: Command): Command =>
  command
    .option(
      "--dashboard-port <number>",
      "serve the dashboard on this port; users log in with a token of the cluster (default: not served)",
      portOption,
    )
    .addOption(
      new Option("--dashboard-hosts <list>", "host names of proxies in front of the dashboard, separated by commas")
        .argParser(hostsOption)
        .default([], "none"),
    )
    .option("--dashboard-read-only", "refuse every change of an object in the dashboard")
    .option("--dashboard-gateway <url>", "address of the gateway, for the chat of the dashboard", addressOption)
    .option("--dashboard-gateway-metrics <url>", "address of the gateway's metrics, for the dashboard", addressOption);

export const dashboardOptionsOf = (flags: Flags): DashboardOptions => ({
  ...(flags.dashboardPort === undefined ? {} : { port: flags.dashboardPort }),
  hosts: flags.dashboardHosts,
  isReadOnly: flags.dashboardReadOnly === true,
  ...(flags.dashboardGateway === undefined ? {} : { gateway: flags.dashboardGateway }),
  ...(flags.dashboardGatewayMetrics === undefined ? {} : { gatewayMetrics: flags.dashboardGatewayMetrics }),
});

function portOption(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError("Expected a port from 1 to 65535, or 0 for any free port");
}

function hostsOption(text: string): string[] {
  const hosts = splitList(text);
  const fault = hosts.map(faultOfAllowedHost).find((one) => one !== undefined);
  if (fault !== undefined) throw new InvalidArgumentError(fault);
  return hosts;
}

function addressOption(text: string): string {
  if (/^https?:\/\/[^\s/@]+(\/[^\s@]*)?$/.test(text)) return text;
  throw new InvalidArgumentError("Expected an address such as http://trivium-gateway.trivium");
}
