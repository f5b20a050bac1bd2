import { type AnyObject, ApiError, apiVersionOf, type ObjectMeta } from "@trivium/kube";
import { append, isObject, type Json, type JsonObject } from "@trivium/std";
import { DecodeFault, decodeObject as decodeTyped } from "../built-in/wire/decode.ts";
import type { Call } from "../call.ts";
import { decodeEmbeddedMetadata } from "../crd/embedded-metadata.ts";
import type { FieldValidation } from "../options.ts";
import { badRequest, invalid, UndecodableError, unsupportedMediaType } from "../refusals.ts";
import type { Resource } from "../resource.ts";
import { type Body, BodyError, parseJsonBody, parseYamlBody, summarize } from "./body.ts";

/** The definition of `metadata`, the same for every kind. */
const objectMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

/** The object in the body of a create or update: of the right kind and types, pruned, with defaults not yet applied. */
export function decodeObject(call: Call, validation: FieldValidation): AnyObject {
  const { resource } = call;
  const text = call.request.body ?? "";
  const object = readHead(resource, bodyOf(call, text), text);
  return settleFields(call, object.value, { duplicates: object.duplicates, validation });
}

function bodyOf({ resource, request, parsed }: Call, text: string): Body {
  const contentType = request.headers["content-type"];
  requireMedia(contentType);
  return parsed?.take() ?? readBody(resource, text, contentType);
}

const mediaOf = (contentType: string | undefined) =>
  (contentType ?? "application/json").split(";", 1)[0]?.trim().toLowerCase();

function requireMedia(contentType: string | undefined): void {
  const media = mediaOf(contentType) ?? "";
  if (!["application/yaml", "application/json", "*/*", ""].includes(media)) {
    throw unsupportedMediaType(["application/json", "application/yaml"]);
  }
}

/** The value of a body that holds an object, by its content type. */
export function readBody(resource: Pick<Resource, "kind">, text: string, contentType: string | undefined): Body {
  requireMedia(contentType);
  try {
    return mediaOf(contentType) === "application/yaml" ? parseYamlBody(text) : parseJsonBody(text);
  } catch (error) {
    if (!(error instanceof BodyError)) throw error;
    throw new UnrecognizedError(resource, `couldn't get version/kind; json parse error: ${error.message}`, text);
  }
}

/** A body that is not an object at all, or does not name its kind. */
export class UnrecognizedError extends ApiError {
  /** What is wrong with it: options are reported without the rest. */
  readonly detail: string;

  constructor({ kind }: Pick<Resource, "kind">, detail: string, text: string) {
    const message = `the object provided is unrecognized (must be of type ${kind}): ${detail} (${summarize(text)})`;
    super(badRequest(message).status);
    this.detail = detail;
  }
}

const headType =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

interface Read {
  readonly value: AnyObject;
  readonly duplicates: () => readonly string[];
}

/** Checks apiVersion and kind, or fills them in for built-in kinds, where the path says enough. */
function readHead(resource: Resource, body: Body, text: string): Read {
  const whole = body.value ?? {};
  if (!isObject(whole)) {
    const found = Array.isArray(whole) ? "array" : typeof whole;
    throw new UnrecognizedError(
      resource,
      `couldn't get version/kind; json parse error: json: cannot unmarshal ${found} into Go value of type ${headType}`,
      text,
    );
  }
  const value = whole as JsonObject;
  const apiVersion = apiVersionOf(resource);
  if (resource.origin === "custom") requireHead(resource, value, { apiVersion, text });
  else adoptHead(resource, value, apiVersion);
  value.apiVersion = apiVersion;
  value.kind = resource.kind;
  return { value: value as unknown as AnyObject, duplicates: body.duplicates };
}

/** Custom resources are told apart by apiVersion and kind, so both must be there and right. */
export function refuseOtherKind(resource: Resource, value: JsonObject, apiVersion: string): void {
  if (value.apiVersion !== apiVersion) {
    throw badRequest(
      `the API version in the data (${String(value.apiVersion ?? "")}) does not match the expected API version (${apiVersion})`,
    );
  }
  if (value.kind === resource.kind) return;
  const name = isObject(value.metadata) ? String(value.metadata.name ?? "") : "";
  const detail = `must be ${resource.kind}`;
  throw invalid({ group: resource.group, kind: String(value.kind) }, name, [
    { reason: "FieldValueInvalid", field: "kind", value: value.kind, detail },
  ]);
}

function requireHead(resource: Resource, value: JsonObject, expected: { apiVersion: string; text: string }): void {
  if ((value.kind ?? "") === "") {
    const shown = expected.text.length > 1000 ? `${expected.text.slice(0, 1000)} ...` : expected.text;
    throw new UnrecognizedError(resource, `Object 'Kind' is missing in '${shown}'`, expected.text);
  }
  refuseOtherKind(resource, value, expected.apiVersion);
}

/** For built-in kinds the path says enough. */
export function adoptHead(resource: Resource, value: JsonObject, apiVersion: string): void {
  const kind = value.kind ?? resource.kind;
  const version = value.apiVersion ?? apiVersion;
  if (kind === resource.kind && version === apiVersion) return;
  throw new UndecodableError(
    { kind: String(kind), version: versionPart(String(version)), as: resource.kind },
    `no kind "${String(kind)}" is registered for version "${String(version)}" at this path`,
  );
}

const versionPart = (apiVersion: string): string => apiVersion.slice(apiVersion.indexOf("/") + 1);

export interface FieldRules {
  readonly duplicates: () => readonly string[];
  readonly validation: FieldValidation;
  /** What a patch leaves is read in the order of its field names, not in that of a body. */
  readonly isPatch?: boolean;
}

/** Faults of fields that are told of one object, as many as a real server tells. */
export const maxFieldFaults = 100;

/** Types, unknown fields and duplicates. Faults are refused or become warnings, as the caller asked. */
export function settleFields(call: Call, object: AnyObject, rules: FieldRules): AnyObject {
  const { resource } = call;
  if (!isObject(object.metadata)) {
    const found: unknown = object.metadata;
    if (found !== undefined && found !== null) throw cannotHandle(resource, wrongMetadata(resource, found));
    (object as { metadata: ObjectMeta }).metadata = {};
  }
  const dropped = decodeFields(resource, object);
  if (rules.isPatch === true) dropped.sort();
  const unknown = dropped.slice(0, maxFieldFaults).map((path) => `unknown field "${path}"`);
  if (rules.validation === "Ignore") return object;
  const duplicates = rules.duplicates();
  const all = resource.origin === "custom" ? [...duplicates, ...unknown] : [...unknown, ...duplicates];
  const faults = all.slice(0, maxFieldFaults);
  if (faults.length === 0) return object;
  if (rules.validation === "Strict") throw cannotHandle(resource, `strict decoding error: ${faults.join(", ")}`);
  append(call.warnings, faults);
  return object;
}

function wrongMetadata(resource: Resource, found: unknown): string {
  const word = Array.isArray(found) ? "array" : typeof found === "boolean" ? "bool" : typeof found;
  const where = resource.origin === "custom" ? "Go value" : `Go struct field ${resource.kind}.metadata`;
  return `json: cannot unmarshal ${word} into ${where} of type v1.ObjectMeta`;
}

/** Drops what the kind does not have, in place, and returns its paths. Values of the wrong type in typed parts are refused. */
export function decodeFields(resource: Resource, object: AnyObject): string[] {
  if (resource.origin === "built-in") return resource.strategy.prune(object);
  try {
    const ofMetadata = decodeTyped(objectMeta, object.metadata as unknown as JsonObject).map(
      (path) => `metadata.${path}`,
    );
    dropEmpty(object.metadata);
    const embedded = decodeEmbeddedMetadata(resource.schema, object as unknown as Json);
    return [...ofMetadata, ...resource.strategy.prune(object), ...embedded].sort();
  } catch (error) {
    if (error instanceof DecodeFault) throw cannotHandle(resource, error.message);
    throw error;
  }
}

/** Lists and maps of metadata that are empty are not written. */
function dropEmpty(meta: ObjectMeta): void {
  for (const part of ["labels", "annotations", "finalizers", "ownerReferences"] as const) {
    if (meta[part] !== undefined && Object.keys(meta[part]).length === 0) delete meta[part];
  }
}

export const cannotHandle = (resource: Resource, why: string): UndecodableError => new UndecodableError(resource, why);
