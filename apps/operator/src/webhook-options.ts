import type { WebhookPlace } from "@trivium/runtime";
import { type Command, InvalidArgumentError, Option } from "commander";
import { type Address, parseAddress } from "./address.ts";

/** How objects are looked at before they are stored. */
export interface WebhookOptions {
  readonly listen: Address | "off";
  /** Folder with tls.crt, tls.key and ca.crt; they are made there when it has none. */
  readonly certificates?: string;
  /** Where the API server finds the webhooks; the Service of the operator when left out. */
  readonly place?: WebhookPlace;
  readonly failurePolicy: "Fail" | "Ignore";
  readonly timeoutSeconds: number;
}

interface Flags {
  readonly webhookListen: Address | "off";
  readonly webhookCertDir?: string;
  readonly webhookAt?: WebhookPlace;
  readonly webhookFailurePolicy: WebhookOptions["failurePolicy"];
  readonly webhookTimeout: number;
}

export const defaultPort = 9443;

export function addWebhookOptions(command: Command): Command {
  return command
    .addOption(
      new Option("--webhook-listen <address>", "address of the admission webhooks, such as :9443, or off")
        .argParser(listenOption)
        .default("off"),
    )
    .option("--webhook-cert-dir <folder>", "folder with tls.crt, tls.key and ca.crt; created if missing")
    .option(
      "--webhook-at <place>",
      "address of the webhooks for the API server: https://host:port or namespace/service",
      placeOption,
    )
    .addOption(
      new Option(
        "--webhook-failure-policy <policy>",
        "what the API server does with writes while the webhooks do not respond",
      )
        .choices(["Fail", "Ignore"])
        .default("Fail"),
    )
    .option("--webhook-timeout <seconds>", "how long the API server waits for a response", seconds, 5);
}

export function webhookOptionsOf(flags: Flags): WebhookOptions {
  return {
    listen: flags.webhookListen,
    failurePolicy: flags.webhookFailurePolicy,
    timeoutSeconds: flags.webhookTimeout,
    ...(flags.webhookCertDir === undefined ? {} : { certificates: flags.webhookCertDir }),
    ...(flags.webhookAt === undefined ? {} : { place: flags.webhookAt }),
  };
}

function listenOption(text: string): Address | "off" {
  const address = text === "off" ? text : parseAddress(text);
  if (address === undefined) throw new InvalidArgumentError('Expected host:port (port 0 for any free port), or "off"');
  return address;
}

function placeOption(text: string): WebhookPlace {
  const [, namespace, name, port] = /^([a-z0-9-]+)\/([a-z0-9-]+)(?::(\d{1,5}))?$/.exec(text) ?? [];
  if (namespace !== undefined && name !== undefined)
    return { is: "service", namespace, name, port: Number(port ?? defaultPort) };
  if (/^https:\/\/[^/\s?#@]+\/?$/.test(text)) return { is: "url", url: text };
  throw new InvalidArgumentError("Expected https://host:port, or namespace/service[:port]");
}

function seconds(text: string): number {
  if (!/^(?:[1-9]|[12]\d|30)$/.test(text)) throw new InvalidArgumentError("Expected a whole number from 1 to 30");
  return Number(text);
}
