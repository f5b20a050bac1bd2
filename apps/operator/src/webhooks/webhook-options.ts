import type { WebhookPlace } from "@trivium/runtime";
import { type Millis, parseDuration } from "@trivium/std";
import { type Command, InvalidArgumentError, Option } from "commander";
import { type Address, parseAddress } from "../options/address.ts";

/** How objects are looked at before they are stored. */
export interface WebhookOptions {
  readonly listen: Address | "off";
  /** Folder with tls.crt, tls.key and ca.crt; they are created there when it has none. */
  readonly certificates?: string;
  /** Secret in the namespace of the operator that contains them instead; the operator renews them. */
  readonly secret?: string;
  /** How long a certificate in the Secret is valid. */
  readonly lifetime: Millis;
  /** Name of the webhook configurations. */
  readonly configuration: string;
  /** Where the API server finds the webhooks; the Service of the operator when left out. */
  readonly place?: WebhookPlace;
  readonly failurePolicy: "Fail" | "Ignore";
  readonly timeoutSeconds: number;
}

interface Flags {
  readonly webhookListen: Address | "off";
  readonly webhookCertDir?: string;
  readonly webhookCertSecret?: string;
  readonly webhookCertLifetime: Millis;
  readonly webhookConfiguration: string;
  readonly webhookAt?: WebhookPlace;
  readonly webhookFailurePolicy: WebhookOptions["failurePolicy"];
  readonly webhookTimeout: number;
}

export const defaultPort = 9443;
const defaultLifetime: Millis = 90 * 24 * 3600 * 1000;

export function addWebhookOptions(command: Command): Command {
  return command
    .addOption(
      new Option("--webhook-listen <address>", "address of the admission webhooks, such as :9443, or off")
        .argParser(listenOption)
        .default("off"),
    )
    .option("--webhook-cert-dir <folder>", "folder with tls.crt, tls.key and ca.crt; created if missing")
    .addOption(
      new Option(
        "--webhook-cert-secret <name>",
        "Secret in the namespace of the operator for the certificates, which the operator creates and renews",
      ).conflicts("webhookCertDir"),
    )
    .addOption(
      new Option("--webhook-cert-lifetime <duration>", "how long a certificate in --webhook-cert-secret is valid")
        .argParser(lifetimeOption)
        .default(defaultLifetime, "2160h"),
    )
    .option("--webhook-configuration <name>", "name of the webhook configurations", "trivium-operator")
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
    lifetime: flags.webhookCertLifetime,
    configuration: flags.webhookConfiguration,
    ...(flags.webhookCertSecret === undefined ? {} : { secret: flags.webhookCertSecret }),
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

/** Shorter ones would be renewed before API servers have read their authority. */
const shortestLifetime: Millis = 10_000;

function lifetimeOption(text: string): Millis {
  const lifetime = parseDuration(text);
  if (lifetime === undefined || lifetime < shortestLifetime)
    throw new InvalidArgumentError("Expected a duration of at least 10s, such as 2160h");
  return lifetime;
}

function seconds(text: string): number {
  if (!/^(?:[1-9]|[12]\d|30)$/.test(text)) throw new InvalidArgumentError("Expected a whole number from 1 to 30");
  return Number(text);
}
