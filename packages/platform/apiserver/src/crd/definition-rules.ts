import type { AnyObject } from "@trivium/kube";
import { formatCheck, type Schema } from "@trivium/schema";
import type { Instant } from "@trivium/std";
import type { Resource } from "../resource.ts";
import type { Definition } from "./definition.ts";
import { faultsOfDefinition } from "./faults.ts";
import type { NameBook } from "./name-book.ts";
import { definitionStatus } from "./names.ts";

/** The built-in resource of CRDs, with the rules that need to know what else is served. */
export function withDefinitionRules(resource: Resource, book: NameBook, now: () => Instant): Resource {
  const { strategy } = resource;
  const decide = (object: AnyObject): void => {
    const crd = object as unknown as Definition;
    object.status = definitionStatus(crd, book.takenFrom(crd), now()) as never;
  };
  return {
    ...resource,
    strategy: {
      ...strategy,
      allowsUnconditionalUpdate: false,
      applyDefaults: (object, old) => {
        object.spec ??= {};
        const spec = object.spec as { names?: object };
        spec.names ??= {};
        strategy.applyDefaults(object, old);
        keepStored(object, old);
      },
      // A CRD is served from the moment it is stored, so it says so from the start.
      prepareForCreate: decide,
      prepareForUpdate: (object) => {
        if (object.metadata.deletionTimestamp === undefined) decide(object);
      },
      validate: (object, old) => [
        ...strategy.validate(object, old),
        ...faultsOfDefinition(object as unknown as Definition, old as unknown as Definition | undefined),
      ],
      validateStatus: () => [],
      warnings: (object) => [
        ...(strategy.warnings?.(object) ?? []),
        ...conversionWarning(object as unknown as Definition),
        ...formatWarnings(object as unknown as Definition),
      ],
    },
  };
}

/** There is always a version that objects are stored at. */
function keepStored(object: AnyObject, old: AnyObject | undefined): void {
  const [status, before] = [object, old].map((one) => one?.status as { storedVersions?: string[] } | undefined);
  if (status === undefined || before === undefined || (status.storedVersions ?? []).length > 0) return;
  Object.assign(status, { storedVersions: before.storedVersions ?? [] });
}

/** Formats that nobody checks are most likely a slip. */
function formatWarnings({ spec }: Definition): string[] {
  const unknown = new Set<string>();
  const inspect = (schema: Schema): void => {
    const { type, format } = schema;
    if (type === "string" && format !== undefined && formatCheck(format) === undefined) unknown.add(format);
    const { properties = {}, items, additionalProperties } = schema;
    for (const inner of [...Object.values(properties), items, additionalProperties])
      if (typeof inner === "object") inspect(inner);
  };
  for (const { schema } of spec.versions ?? []) inspect((schema?.openAPIV3Schema ?? {}) as Schema);
  return [...unknown].map((format) => `unrecognized format ${JSON.stringify(format)}`);
}

function conversionWarning({ spec }: Definition): string[] {
  if (spec.conversion?.strategy !== "Webhook" || spec.versions.length < 2) return [];
  return ["spec.conversion: webhooks are not called by this server; versions are converted by apiVersion alone"];
}
