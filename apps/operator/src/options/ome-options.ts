import { type OmeOptions, omeDefaults } from "@trivium/ome";
import { type Command, InvalidArgumentError, Option } from "commander";

/** What a person chooses for all models and services of OME, where its ConfigMap does not say otherwise. */
interface Flags {
  readonly omeNamespace: string;
  readonly omeModelsRoot: string;
  readonly omeIngress: "off" | OmeOptions["ingress"]["api"];
  readonly omeGateway: string;
  readonly omeIngressDomain: string;
  readonly omeIngressClass: string;
  readonly omeUrlScheme: OmeOptions["ingress"]["scheme"];
  readonly omePredictor: OmeOptions["predictor"];
  /** The image is the same for all dialects. */
  readonly weightsImage: string;
}

const { namespace, modelsRoot, ingress, predictor } = omeDefaults;

export function addOmeOptions(command: Command): Command {
  return command
    .option(
      "--ome-namespace <name>",
      "namespace of OME's ConfigMaps and of the model reports of nodes",
      name,
      namespace,
    )
    .option("--ome-models-root <path>", "folder on nodes for models without storage.path", folder, modelsRoot)
    .addOption(
      new Option("--ome-ingress <kind>", "how services are exposed")
        .choices(["off", "gateway", "ingress"])
        .default("off"),
    )
    .option("--ome-gateway <namespace/name>", "Gateway of the HTTPRoutes", reference, ingress.gateway)
    .option("--ome-ingress-domain <domain>", "domain of the addresses of services", ingress.domain)
    .option("--ome-ingress-class <name>", "class of the Ingresses", ingress.className)
    .addOption(
      new Option("--ome-url-scheme <scheme>", "scheme of the public addresses")
        .choices(["http", "https"])
        .default(ingress.scheme),
    )
    .addOption(
      new Option(
        "--ome-predictor <how>",
        "services with spec.predictor: converted in memory, or rewritten when they are created",
      )
        .choices(["read", "rewrite"])
        .default(predictor),
    );
}

export function omeOptionsOf(flags: Flags): OmeOptions {
  const { omeIngress } = flags;
  return {
    ...omeDefaults,
    namespace: flags.omeNamespace,
    modelsRoot: flags.omeModelsRoot,
    images: { ...omeDefaults.images, weights: flags.weightsImage },
    predictor: flags.omePredictor,
    ingress: {
      ...ingress,
      ...(omeIngress === "off" ? { creation: "off" } : { creation: "on", api: omeIngress }),
      gateway: flags.omeGateway,
      domain: flags.omeIngressDomain,
      className: flags.omeIngressClass,
      scheme: flags.omeUrlScheme,
    },
  };
}

function name(text: string): string {
  if (!/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(text))
    throw new InvalidArgumentError("Expected the name of a namespace");
  return text;
}

function folder(text: string): string {
  if (!/^\/[^/]/.test(text) || text.split("/").includes(".."))
    throw new InvalidArgumentError("Expected an absolute path");
  return text.replace(/\/+$/, "");
}

function reference(text: string): string {
  if (!/^[a-z0-9-]+\/[a-z0-9.-]+$/.test(text)) throw new InvalidArgumentError("Expected namespace/name");
  return text;
}
