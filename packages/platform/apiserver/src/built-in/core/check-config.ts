import type { ConfigMap, Secret } from "@trivium/kube";
import { type FieldError, forbidden, invalid, required, tooLong } from "@trivium/schema";
import { faultsOfConfigKey, getOwn } from "@trivium/std";
import { immutable, immutableOnce, invalidFor } from "../checks/values.ts";

const maxBytes = 1024 * 1024;
const sealed = "field is immutable when `immutable` is set";

export function checkConfigMap(map: ConfigMap, old?: ConfigMap): FieldError[] {
  const { data = {}, binaryData = {} } = map;
  const size = [...Object.values(data), ...Object.values(binaryData)].reduce(
    (sum, text) => sum + Buffer.byteLength(text),
    0,
  );
  return [
    ...(old?.immutable ? checkSealed(map, old, ["data", "binaryData"]) : []),
    ...Object.keys(data).flatMap((key) => [
      ...invalidFor(`data[${key}]`, key, faultsOfConfigKey(key)),
      ...(Object.hasOwn(binaryData, key)
        ? [invalid(`data[${key}]`, key, "duplicate of key present in binaryData")]
        : []),
    ]),
    ...Object.keys(binaryData).flatMap((key) => invalidFor(`binaryData[${key}]`, key, faultsOfConfigKey(key))),
    ...(size > maxBytes ? [tooLong("", maxBytes)] : []),
  ];
}

function checkSealed<O extends { immutable?: boolean | undefined }>(
  next: O,
  old: O,
  fields: readonly (keyof O & string)[],
): FieldError[] {
  return [
    ...(next.immutable ? [] : [forbidden("immutable", sealed)]),
    ...fields.flatMap((field) => immutableOnce(field, next[field] ?? {}, old[field] ?? {}, sealed)),
  ];
}

/** What a Secret of a known type must hold. */
const secretKeys: Readonly<Record<string, readonly string[]>> = {
  "kubernetes.io/dockercfg": [".dockercfg"],
  "kubernetes.io/dockerconfigjson": [".dockerconfigjson"],
  "kubernetes.io/ssh-auth": ["ssh-privatekey"],
  "kubernetes.io/tls": ["tls.crt", "tls.key"],
};

export function checkSecret(secret: Secret, old?: Secret): FieldError[] {
  const { data = {}, type = "Opaque" } = secret;
  const size = Object.values(data).reduce((sum, text) => sum + (text.length / 4) * 3, 0);
  const missing = (getOwn(secretKeys, type) ?? []).filter((key) => !Object.hasOwn(data, key));
  const lacksBasic = type === "kubernetes.io/basic-auth" && data.username === undefined && data.password === undefined;
  return [
    ...(old === undefined ? [] : immutable("type", type, old.type)),
    ...(old?.immutable ? checkSealed(secret, old, ["data"]) : []),
    ...Object.keys(data).flatMap((key) => invalidFor(`data[${key}]`, key, faultsOfConfigKey(key))),
    ...(size > maxBytes ? [tooLong("data", maxBytes)] : []),
    ...missing.map((key) => required(`data[${key}]`)),
    ...(lacksBasic ? ["username", "password"].map((key) => required(`data[${key}]`)) : []),
    ...checkAccountToken(secret),
    ...checkDockerJson(secret),
  ];
}

function checkAccountToken({ type, metadata }: Secret): FieldError[] {
  if (type !== "kubernetes.io/service-account-token") return [];
  const key = "kubernetes.io/service-account.name";
  return metadata.annotations?.[key] ? [] : [required(`metadata.annotations[${key}]`)];
}

function checkDockerJson({ type, data }: Secret): FieldError[] {
  const key =
    type === "kubernetes.io/dockerconfigjson"
      ? ".dockerconfigjson"
      : type === "kubernetes.io/dockercfg"
        ? ".dockercfg"
        : "";
  const text = data?.[key];
  if (text === undefined) return [];
  try {
    JSON.parse(Buffer.from(text, "base64").toString("utf8"));
    return [];
  } catch {
    return [invalid(`data[${key}]`, "<secret contents redacted>", "invalid character in JSON")];
  }
}
