import type { Json, JsonObject } from "@trivium/std";
import type { Field, Messages } from "./messages.ts";
import { jsonOf } from "./special.ts";
import { WireError, WireReader } from "./wire.ts";

export const protobufMedia = "application/vnd.kubernetes.protobuf";

const magic = Buffer.from("k8s\0");
/** Groups whose package is not called after their first word. */
const oddPackages: Readonly<Record<string, string>> = {
  "apiextensions.k8s.io": "k8s.io.apiextensions_apiserver.pkg.apis.apiextensions",
};
const metaPackage = "k8s.io.apimachinery.pkg.apis.meta.v1";
/** No object of the built-in API nests deeper, CRD schemas included. */
const deepest = 200;

/**
 * The JSON form of a body in Kubernetes' protobuf envelope. Typed Go clients, `kubectl create` among them, write built-in
 * kinds like this and do not fall back to JSON. Throws `WireError` for broken bytes and kinds that have no protobuf form.
 */
export function decodeProtobuf(body: Buffer, messages: Messages): JsonObject {
  if (!body.subarray(0, magic.length).equals(magic)) throw new WireError("it does not start with the k8s marker");
  const envelope = readEnvelope(body.subarray(magic.length));
  const name = messageName(envelope.apiVersion, envelope.kind, messages);
  if (name === undefined) {
    throw new WireError(`${envelope.apiVersion} ${envelope.kind} has no protobuf form here; send JSON`);
  }
  const object = decodeMessage(new WireReader(envelope.raw), name, messages, 0);
  return { apiVersion: envelope.apiVersion, kind: envelope.kind, ...object };
}

/** `runtime.Unknown`: the type of the object, then its bytes. */
function readEnvelope(bytes: Buffer): { apiVersion: string; kind: string; raw: Buffer } {
  const envelope: { apiVersion: string; kind: string; raw: Buffer } = {
    apiVersion: "",
    kind: "",
    raw: Buffer.alloc(0),
  };
  const reader = new WireReader(bytes);
  while (!reader.done) {
    const { number, wire } = reader.tag();
    if (number === 1 && wire === 2) {
      const type = new WireReader(reader.bytes());
      while (!type.done) {
        const field = type.tag();
        if (field.wire !== 2) type.skip(field.wire);
        else if (field.number === 1) envelope.apiVersion = type.bytes().toString("utf8");
        else if (field.number === 2) envelope.kind = type.bytes().toString("utf8");
        else type.skip(field.wire);
      }
    } else if (number === 2 && wire === 2) envelope.raw = reader.bytes();
    else reader.skip(wire);
  }
  return envelope;
}

function messageName(apiVersion: string, kind: string, messages: Messages): string | undefined {
  const [group, version] = apiVersion.includes("/") ? (apiVersion.split("/") as [string, string]) : ["", apiVersion];
  const base = oddPackages[group] ?? `k8s.io.api.${group === "" ? "core" : group.split(".")[0]}`;
  return [`${base}.${version}.${kind}`, `${metaPackage}.${kind}`].find((name) => Object.hasOwn(messages, name));
}

const apiextensions = "k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1";

/** Messages with a form of their own in JSON, so that their fields have no JSON names. */
const builtIn: Messages = {
  "k8s.io.apimachinery.pkg.api.resource.Quantity": [[1, "string", "*s"]],
  "k8s.io.apimachinery.pkg.util.intstr.IntOrString": [
    [1, "type", "*i"],
    [2, "intVal", "*i"],
    [3, "strVal", "*s"],
  ],
  "k8s.io.apimachinery.pkg.runtime.RawExtension": [[1, "raw", "y"]],
  [`${metaPackage}.FieldsV1`]: [[1, "Raw", "y"]],
  [`${apiextensions}.JSON`]: [[1, "raw", "y"]],
};

function decodeMessage(reader: WireReader, name: string, messages: Messages, depth: number): JsonObject {
  if (depth > deepest) throw new WireError("it is nested too deep");
  const fields = builtIn[name] ?? messages[name];
  if (fields === undefined) throw new WireError(`there is no message ${name}`);
  const object: JsonObject = {};
  while (!reader.done) {
    const { number, wire } = reader.tag();
    const field = fields.find((candidate) => candidate[0] === number);
    if (field === undefined) reader.skip(wire);
    else readField(object, reader, wire, field, (inner, type) => decodeMessage(inner, type, messages, depth + 1));
  }
  return object;
}

type Nested = (reader: WireReader, message: string) => JsonObject;

function readField(object: JsonObject, reader: WireReader, wire: number, field: Field, nested: Nested): void {
  const [, name, type] = field;
  if (type.startsWith("{}")) {
    object[name] ??= {};
    const entries = object[name] as JsonObject;
    const [key, value] = readEntry(new WireReader(expectBytes(reader, wire)), type.slice(2), nested);
    Object.defineProperty(entries, key, { value, enumerable: true, writable: true, configurable: true });
    return;
  }
  if (type.startsWith("[]")) {
    const value = readValue(reader, wire, type.slice(2), nested);
    object[name] ??= [];
    (object[name] as Json[]).push(value ?? null);
    return;
  }
  const keepsZero = type.startsWith("*");
  const value = readValue(reader, wire, keepsZero ? type.slice(1) : type, nested);
  if (name === "") Object.assign(object, value);
  else if (value !== undefined && (keepsZero || !isZero(value))) object[name] = value;
}

function readEntry(reader: WireReader, type: string, nested: Nested): [string, Json] {
  let key = "";
  let value: Json = type === "s" || type === "y" ? "" : {};
  while (!reader.done) {
    const { number, wire } = reader.tag();
    if (number === 1 && wire === 2) key = reader.bytes().toString("utf8");
    else if (number === 2) value = readValue(reader, wire, type, nested) ?? null;
    else reader.skip(wire);
  }
  return [key, value];
}

function readValue(reader: WireReader, wire: number, type: string, nested: Nested): Json | undefined {
  switch (type) {
    case "s":
      return expectBytes(reader, wire).toString("utf8");
    case "y":
      return expectBytes(reader, wire).toString("base64");
    case "b":
      return expectVarint(reader, wire) !== 0n;
    case "i":
      return Number(BigInt.asIntN(64, expectVarint(reader, wire)));
    case "d":
      if (wire !== 1) throw new WireError("a number has the wrong wire type");
      return reader.double();
    default:
      return jsonOf(type, nested(new WireReader(expectBytes(reader, wire)), type));
  }
}

function expectBytes(reader: WireReader, wire: number): Buffer {
  if (wire !== 2) throw new WireError("a field has the wrong wire type");
  return reader.bytes();
}

function expectVarint(reader: WireReader, wire: number): bigint {
  if (wire !== 0) throw new WireError("a field has the wrong wire type");
  return reader.varint();
}

function isZero(value: Json): boolean {
  return value === "" || value === 0 || value === false;
}
