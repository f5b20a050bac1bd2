import type { Fact } from "@trivium/std";
import { observeSecrets } from "../../images/observe-image.ts";
import type { EnvVars, SecretReferences } from "../../kinds/pod-fields.ts";
import type { Settings } from "../../runtime-config/settings/merge-settings.ts";
import type { Service } from "../names/names.ts";
import type { ObservedTemplates } from "../observed/observe-templates.ts";
import type { ObservedModel, ObservedService } from "../observed/observed-service.ts";
import type { ServiceReader } from "../observed/reads.ts";

interface Naming {
  readonly models: Fact<readonly ObservedModel[]>;
  readonly templates: ObservedTemplates;
  readonly settings: Settings | undefined;
}

/** Of all Secrets that a container could be told to use those that are not in the namespace, where pods would look for them. */
export function observeMissingSecrets(
  service: Service,
  reader: ServiceReader,
  { models, templates, settings }: Naming,
): Pick<ObservedService, "missingSecrets"> {
  const { template, usual, candidates } = templates;
  const named = [template, usual].flatMap((fact) => (fact?.is === "known" ? [fact.value] : []));
  const model = models.is === "known" ? models.value.slice(0, 1) : [];
  const parts = [service, ...model, ...named, ...candidates].map(({ spec }) => spec);
  const names = new Set<string>();
  for (const part of [...parts, settings ?? {}] as readonly SecretUser[]) {
    for (const name of secretsOfEnv(part.env)) names.add(name);
    for (const { name } of part.imagePullSecrets ?? []) names.add(name);
  }
  const references = [...names].sort().map((name) => ({ name }));
  const missing = observeSecrets(reader, service.metadata.namespace ?? "", references).filter(
    ({ is }) => is === "missing",
  );
  return missing.length === 0 ? {} : { missingSecrets: missing.map(({ name }) => name) };
}

interface SecretUser {
  readonly env?: EnvVars | undefined;
  readonly imagePullSecrets?: SecretReferences | undefined;
}

/** Without one of these a container does not start. */
function secretsOfEnv(env: EnvVars | undefined): string[] {
  return (env ?? []).flatMap(({ valueFrom }) => {
    const { name, optional } = valueFrom?.secretKeyRef ?? {};
    return name && optional !== true ? [name] : [];
  });
}

/** What pods would look for in vain. */
export interface SecretsAbsent {
  /** Without these no container starts. */
  readonly needed: readonly string[];
  /** Without these an image may not be had. */
  readonly forImages: readonly string[];
}

export function secretsAbsent(
  pod: { readonly env: EnvVars; readonly imagePullSecrets: SecretReferences },
  missing: readonly string[] = [],
): SecretsAbsent {
  const isMissing = (name: string): boolean => missing.includes(name);
  return {
    needed: [...new Set(secretsOfEnv(pod.env).filter(isMissing))].sort(),
    forImages: pod.imagePullSecrets.map(({ name }) => name).filter(isMissing),
  };
}
