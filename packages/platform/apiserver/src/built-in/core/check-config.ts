import type { ConfigMap, Secret } from "@trivium/kube";
import { type FieldError, forbidden, invalid, required, tooLong } from "@trivium/schema";
import { append, faultsOfConfigKey, getOwn } from "@trivium/std";
import { immutable, immutableOnce, invalidFor } from "../checks/values.ts";

const maxBytes = 1024 * 1024;
const sealed = "field is immutable when `immutable` is set";

export function checkConfigMap(map: ConfigMap, old?: ConfigMap): FieldError[] {
  const { data = {}, binaryData = {} } = map;
  const faults = old?.immutable ? checkSealed(map, old, ["data", "binaryData"]) : [];
  let size = 0;
  for (const [key, text] of Object.entries(data)) {
    size += Buffer.byteLength(text);
    append(faults, checkKey("data", key));
    if (Object.hasOwn(binaryData, key))
      faults.push(invalid(`data[${key}]`, key, "duplicate of key present in binaryData"));
  }
  for (const [key, text] of Object.entries(binaryData)) {
    size += Buffer.byteLength(text);
    append(faults, checkKey("binaryData", key));
  }
  if (size > maxBytes) faults.push(tooLong("", maxBytes));
  return faults;
}

const noFaults: readonly FieldError[] = [];

function checkKey(field: string, key: string): readonly FieldError[] {
  const details = faultsOfConfigKey(key);
  return details.length === 0 ? noFaults : invalidFor(`${field}[${key}]`, key, details);
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
    ...Object.keys(data).flatMap((key) => checkKey("data", key)),
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
