import {
  append,
  faultsOfDns1035Label,
  faultsOfDnsLabel,
  faultsOfLabelKey,
  faultsOfLabelValue,
  getOwn,
  isObject,
  type Json,
  type JsonObject,
} from "@trivium/std";
import { type FieldError, invalid, required } from "../field-error.ts";
import { reaches } from "../reach.ts";
import type { Schema } from "../schema.ts";

/** Objects inside objects (`x-kubernetes-embedded-resource`) need a head of their own: apiVersion, kind, sound metadata. */
export function checkEmbedded(schema: Schema, value: Json, path = ""): FieldError[] {
  const errors: FieldError[] = [];
  if (mayEmbed(schema)) walk({ schema, value, path }, errors);
  return errors;
}

interface Place {
  readonly schema: Schema;
  readonly value: Json;
  readonly path: string;
}

function walk({ schema, value, path }: Place, errors: FieldError[]): void {
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items === undefined || !mayEmbed(items)) return;
    for (const [index, item] of value.entries())
      walk({ schema: items, value: item, path: `${path}[${index}]` }, errors);
    return;
  }
  if (!isObject(value)) return;
  if (schema["x-kubernetes-embedded-resource"] === true) append(errors, faultsOfHead(value, path));
  for (const key of Object.keys(value)) {
    const property = getOwn(schema.properties, key);
    const others = typeof schema.additionalProperties === "object" ? schema.additionalProperties : undefined;
    const inner = property ?? others;
    if (inner === undefined || !mayEmbed(inner)) continue;
    const at = property === undefined ? `${path}[${key}]` : path === "" ? key : `${path}.${key}`;
    walk({ schema: inner, value: value[key] as Json, path: at }, errors);
  }
}

function faultsOfHead(object: JsonObject, path: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const key of ["apiVersion", "kind"]) {
    const value = object[key];
    const at = `${path}.${key}`;
    if (value === undefined) errors.push(required(at));
    else if (typeof value !== "string") errors.push(invalid(at, value, "must be a string"));
    else if (value === "") errors.push(invalid(at, value, "must not be empty"));
    else append(errors, key === "kind" ? faultsOfKind(value, at) : faultsOfVersion(value, at));
  }
  if (isObject(object.metadata)) append(errors, faultsOfMetadata(object.metadata, `${path}.metadata`));
  else if (object.metadata !== undefined)
    errors.push(invalid(`${path}.metadata`, object.metadata, "must be an object"));
  return errors;
}

function faultsOfKind(kind: string, path: string): FieldError[] {
  const faults = faultsOfDns1035Label(kind.toLowerCase());
  if (faults.length === 0) return [];
  return [invalid(path, kind, `may have mixed case, but should otherwise match: ${faults.join(",")}`)];
}

function faultsOfVersion(version: string, path: string): FieldError[] {
  if (version.split("/").length <= 2) return [];
  return [invalid(path, version, `unexpected GroupVersion string: ${version}`)];
}

/** What is checked of the metadata of an embedded object: names, labels and annotation keys. */
function faultsOfMetadata(metadata: JsonObject, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const { name, namespace, labels, annotations, finalizers } = metadata;
  if (typeof name === "string" && (name === "." || name === ".." || /[/%]/.test(name))) {
    errors.push(invalid(`${path}.name`, name, faultOfSegment(name)));
  }
  if (typeof namespace === "string" && namespace !== "") {
    for (const fault of faultsOfDnsLabel(namespace)) errors.push(invalid(`${path}.namespace`, namespace, fault));
  }
  for (const [key, value] of Object.entries(isObject(labels) ? labels : {})) {
    for (const fault of faultsOfLabelKey(key)) errors.push(invalid(`${path}.labels`, key, fault));
    if (typeof value !== "string") continue;
    for (const fault of faultsOfLabelValue(value)) errors.push(invalid(`${path}.labels`, value, fault));
  }
  for (const key of Object.keys(isObject(annotations) ? annotations : {})) {
    for (const fault of faultsOfLabelKey(key.toLowerCase())) errors.push(invalid(`${path}.annotations`, key, fault));
  }
  for (const finalizer of Array.isArray(finalizers) ? finalizers : []) {
    if (typeof finalizer !== "string") continue;
    for (const fault of faultsOfLabelKey(finalizer)) errors.push(invalid(`${path}.finalizers`, finalizer, fault));
  }
  return errors;
}

function faultOfSegment(name: string): string {
  if (name === "." || name === "..") return `may not be '${name}'`;
  return name.includes("/") ? "may not contain '/'" : "may not contain '%'";
}

const mayEmbed = reaches((schema) => schema["x-kubernetes-embedded-resource"] === true);
