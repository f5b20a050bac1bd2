import { type Command, InvalidArgumentError } from "commander";
import type { ManifestOptions } from "../manifests.ts";
import { dialectsOption } from "./dialects-option.ts";

/** What an installation on a cluster consists of: crds, manifests. */
export function declareInstallation(program: Command): void {
  program
    .command("crds")
    .description("print the CustomResourceDefinitions of all dialects as YAML")
    .addOption(dialectsOption("APIs to print, separated by commas"))
    .action(async ({ dialects }: { dialects: readonly string[] }) => {
      (await import("../manifests.ts")).printDefinitions(dialects);
    });
  program
    .command("manifests")
    .description("print the objects of an installation as YAML, as the Helm chart creates them")
    .option("-n, --namespace <name>", "namespace of the installation", "trivium-system")
    .option("--release <name>", "prefix of the names of all objects", "trivium")
    .option("--image-registry <prefix>", "registry and path of the images")
    .option("--watch-namespace <name>", "reconcile objects of this namespace only")
    .addOption(dialectsOption("APIs to reconcile, separated by commas"))
    .option("--set <name=value>", "another value of the chart, as JSON or text; repeatable", nameAndValue, [])
    .action(async (options: ManifestOptions) => {
      (await import("../manifests.ts")).printManifests(options);
    });
}

function nameAndValue(text: string, before: ManifestOptions["set"]): ManifestOptions["set"] {
  const [, name, value = ""] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined) throw new InvalidArgumentError("expected name=value, such as operator.replicas=1");
  return [...before, [name, value]];
}
