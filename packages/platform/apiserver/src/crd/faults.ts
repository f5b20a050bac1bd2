import { type FieldError, faultsOfStructuralSchema, type Schema } from "@trivium/schema";
import { append, deepEqual, faultsOfDns1035Label, faultsOfDnsSubdomain, isObject, type Json } from "@trivium/std";
import { type Definition, type DefinitionVersion, isSharedByAll } from "./definition.ts";
import { faultsOfColumns, faultsOfSelectableFields, faultsOfSubresources } from "./version-faults.ts";

/** What is wrong with a CRD, with every cause at once. */
export function faultsOfDefinition(crd: Definition, old?: Definition): FieldError[] {
  const { group, names } = crd.spec;
  const faults: FieldError[] = [];
  if (old === undefined && (crd.metadata.name ?? "") !== "" && crd.metadata.name !== `${names.plural}.${group}`) {
    faults.push(bad("metadata.name", crd.metadata.name ?? "", 'must be spec.names.plural+"."+spec.group'));
  }
  append(faults, faultsOfGroup(group), faultsOfScope(crd.spec.scope), faultsOfVersions(crd), faultsOfNames(crd));
  append(faults, faultsOfConversion(crd), faultsOfStoredVersions(crd));
  if (old === undefined) append(faults, faultsOfApproval(crd));
  if (crd.spec.preserveUnknownFields === true) faults.push(bad("spec.preserveUnknownFields", true, preserving));
  if (old !== undefined) append(faults, faultsOfChange(crd, old));
  return faults;
}

const preserving =
  "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead";

const bad = (field: string, value: Json, detail: string): FieldError => ({
  reason: "FieldValueInvalid",
  field,
  value,
  detail,
});
const missing = (field: string, detail = ""): FieldError => ({ reason: "FieldValueRequired", field, detail });

function faultsOfGroup(group: string | undefined): FieldError[] {
  if (group === undefined || group === "") return [missing("spec.group")];
  const faults = faultsOfDnsSubdomain(group).map((fault) => bad("spec.group", group, fault));
  if (faults.length > 0 || group.includes(".")) return faults;
  return [bad("spec.group", group, "should be a domain with at least one dot")];
}

const approval = "api-approved.kubernetes.io";

/** Groups of Kubernetes itself are not for everybody. */
function faultsOfApproval({ spec, metadata }: Definition): FieldError[] {
  const group = spec.group ?? "";
  const isProtected = ["k8s.io", "kubernetes.io"].some((own) => group === own || group.endsWith(`.${own}`));
  const given = metadata.annotations?.[approval] ?? "";
  if (!isProtected || given.startsWith("unapproved")) return [];
  const field = `metadata.annotations[${approval}]`;
  if (given === "") {
    const words = `protected groups must have approval annotation "${approval}", see https://github.com/kubernetes/enhancements/pull/1111`;
    return [missing(field, words)];
  }
  if (URL.canParse(given)) return [];
  const words = `protected groups must have approval annotation "${approval}" with either a URL or a reason starting with "unapproved", see https://github.com/kubernetes/enhancements/pull/1111`;
  return [bad(field, given, words)];
}

function faultsOfScope(scope: string | undefined): FieldError[] {
  if (scope === undefined || scope === "") return [missing("spec.scope")];
  const supported = ["Cluster", "Namespaced"];
  if (supported.includes(scope)) return [];
  return [{ reason: "FieldValueNotSupported", field: "spec.scope", value: scope, detail: "", supported }];
}

function faultsOfVersions(crd: Definition): FieldError[] {
  const versions = crd.spec.versions ?? [];
  const value = (crd.spec.versions ?? null) as unknown as Json;
  const faults = versions.flatMap((version, index) => faultsOfVersion(crd, version, index));
  const first = versions[0]?.name ?? "";
  if (versions.length > 0)
    append(
      faults,
      faultsOfDns1035Label(first).map((fault) => bad("spec.version", first, fault)),
    );
  if (new Set(versions.map(({ name }) => name)).size < versions.length) {
    faults.push(bad("spec.versions", value, "must contain unique version names"));
  }
  if (versions.filter(({ storage }) => storage).length !== 1) {
    faults.push(bad("spec.versions", value, "must have exactly one version marked as storage version"));
  }
  return faults;
}

function faultsOfVersion(crd: Definition, version: DefinitionVersion, index: number): FieldError[] {
  const at = `spec.versions[${index}]`;
  // What all versions share is checked, and named, once.
  const place = (part: keyof DefinitionVersion, shared: string): string | undefined =>
    isSharedByAll(crd, part) ? (index === 0 ? shared : undefined) : `${at}.${part}`;
  const named = faultsOfDns1035Label(version.name ?? "");
  const faults = named.map((fault) => bad(`${at}.name`, version.name ?? "", fault));
  const schemaAt = place("schema", "spec.validation");
  const schema = version.schema?.openAPIV3Schema as Schema | undefined;
  if (schema === undefined) faults.push(missing(`${at}.schema.openAPIV3Schema`));
  else if (schemaAt !== undefined) append(faults, faultsOfStructuralSchema(schema, `${schemaAt}.openAPIV3Schema`));
  const subresourcesAt = place("subresources", "spec.subresources");
  if (subresourcesAt !== undefined) append(faults, faultsOfSubresources(version, subresourcesAt));
  const columnsAt = place("additionalPrinterColumns", "spec.additionalPrinterColumns");
  if (columnsAt !== undefined) append(faults, faultsOfColumns(version, columnsAt));
  const fieldsAt = place("selectableFields", "spec.selectableFields");
  if (fieldsAt !== undefined) append(faults, faultsOfSelectableFields(version, fieldsAt));
  if (version.deprecationWarning !== undefined && version.deprecated !== true) {
    faults.push(bad(`${at}.deprecationWarning`, version.deprecationWarning, "can only be set for deprecated versions"));
  }
  return faults;
}

function faultsOfNames({ spec: { names } }: Definition): FieldError[] {
  const faults: FieldError[] = [];
  const check = (part: "plural" | "singular" | "kind" | "listKind", mixedCase: boolean): void => {
    const value = names[part] ?? "";
    const field = `spec.names.${part}`;
    if (value === "") {
      faults.push(missing(field));
      return;
    }
    const prefix = mixedCase ? "may have mixed case, but should otherwise match: " : "";
    for (const fault of faultsOfDns1035Label(mixedCase ? value.toLowerCase() : value))
      faults.push(bad(field, value, prefix + fault));
  };
  check("plural", false);
  check("singular", false);
  check("kind", true);
  check("listKind", true);
  for (const list of ["shortNames", "categories"] as const) {
    for (const [index, name] of (names[list] ?? []).entries()) {
      for (const fault of faultsOfDns1035Label(name)) faults.push(bad(`spec.names.${list}[${index}]`, name, fault));
    }
  }
  if (names.kind !== undefined && names.kind !== "" && names.kind === names.listKind) {
    faults.push(bad("spec.names.listKind", names.listKind, "kind and listKind may not be the same"));
  }
  return faults;
}

function faultsOfConversion({ spec: { conversion } }: Definition): FieldError[] {
  const strategy = conversion?.strategy ?? "None";
  if (strategy === "Webhook" && conversion?.webhook === undefined) {
    const field = "spec.conversion.webhookClientConfig";
    return [
      missing(field, "required when strategy is set to Webhook"),
      missing("spec.conversion.conversionReviewVersions"),
    ];
  }
  if (strategy === "None" || strategy === "Webhook") return [];
  const supported = ["None", "Webhook"];
  return [
    { reason: "FieldValueNotSupported", field: "spec.conversion.strategy", value: strategy, detail: "", supported },
  ];
}

function faultsOfStoredVersions(crd: Definition): FieldError[] {
  const stored = crd.status?.storedVersions ?? [];
  const names = (crd.spec.versions ?? []).map(({ name }) => name);
  const field = "status.storedVersions";
  if (stored.length === 0) return [bad(field, null, "must have at least one stored version")];
  const storage = (crd.spec.versions ?? []).findLast((version) => version.storage)?.name;
  if (storage !== undefined && !stored.includes(storage))
    return [bad(field, [...stored], `must have the storage version ${storage}`)];
  return stored.flatMap((name, index) =>
    names.includes(name)
      ? []
      : [
          bad(
            `status.storedVersions[${index}]`,
            name,
            `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`,
          ),
        ],
  );
}

/** What clients hold on to cannot change under them. */
function faultsOfChange(crd: Definition, old: Definition): FieldError[] {
  const faults: FieldError[] = [];
  const same = (field: string, next: Json | undefined, before: Json | undefined): void => {
    if (!deepEqual(next, before)) faults.push(bad(field, next ?? null, "field is immutable"));
  };
  const isEstablished = (old.status?.conditions ?? []).some(
    (one) => isObject(one as never) && one.type === "Established" && one.status === "True",
  );
  if (isEstablished) {
    same("spec.scope", crd.spec.scope, old.spec.scope);
    same("spec.names.kind", crd.spec.names.kind, old.spec.names.kind);
  }
  same("spec.group", crd.spec.group, old.spec.group);
  same("spec.names.plural", crd.spec.names.plural, old.spec.names.plural);
  return faults;
}
