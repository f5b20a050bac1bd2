import { formatDuration, type Json, type JsonObject } from "@trivium/std";

/** Messages whose JSON form is not an object of their fields. They are given the fields that were decoded. */
const special: Readonly<Record<string, (fields: JsonObject) => Json | undefined>> = {
  "k8s.io.apimachinery.pkg.api.resource.Quantity": (fields) => fields.string ?? "0",
  "k8s.io.apimachinery.pkg.util.intstr.IntOrString": (fields) =>
    fields.type === 1 ? (fields.strVal ?? "") : (fields.intVal ?? 0),
  "k8s.io.apimachinery.pkg.apis.meta.v1.Time": (fields) => timeOf(fields)?.replace(/\.\d+Z$/, "Z"),
  "k8s.io.apimachinery.pkg.apis.meta.v1.MicroTime": (fields) => timeOf(fields),
  "k8s.io.apimachinery.pkg.apis.meta.v1.Duration": (fields) => formatDuration(Number(fields.duration ?? 0) / 1e6),
  "k8s.io.apimachinery.pkg.apis.meta.v1.FieldsV1": (fields) => embedded(fields.Raw),
  "k8s.io.apimachinery.pkg.runtime.RawExtension": (fields) => embedded(fields.raw),
  "k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.JSON": (fields) => embedded(fields.raw),
  "k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrArray": (fields) =>
    fields.schema ?? fields.jSONSchemas,
  "k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrBool": (fields) =>
    fields.schema ?? fields.allows ?? false,
  "k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrStringArray": (fields) =>
    fields.schema ?? fields.property,
  "k8s.io.api.authentication.v1.ExtraValue": (fields) => fields.items ?? [],
  "k8s.io.api.authorization.v1.ExtraValue": (fields) => fields.items ?? [],
  "k8s.io.api.certificates.v1.ExtraValue": (fields) => fields.items ?? [],
};

/** The JSON form of a decoded message; `undefined` for one that says nothing, as a zero time does. */
export function jsonOf(message: string, fields: JsonObject): Json | undefined {
  const convert = special[message];
  return convert === undefined ? fields : convert(fields);
}

function timeOf({ seconds, nanos }: JsonObject): string | undefined {
  if (typeof seconds !== "number") return undefined;
  const at = new Date(seconds * 1000);
  if (Number.isNaN(at.getTime())) return undefined;
  const micros = Math.floor(Number(nanos ?? 0) / 1000);
  return `${at.toISOString().slice(0, 19)}.${String(micros).padStart(6, "0")}Z`;
}

/** Raw JSON travels as bytes, which the decoder hands over in base64. */
function embedded(base64: Json | undefined): Json | undefined {
  if (typeof base64 !== "string" || base64 === "") return undefined;
  return JSON.parse(Buffer.from(base64, "base64").toString("utf8")) as Json;
}
