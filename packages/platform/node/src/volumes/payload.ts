import type { api, Pod } from "@trivium/kube";
import type { Instant } from "@trivium/std";
import type { References } from "../sandbox-setup/environment/container-environment.ts";
import { type PodPlace, readPodField } from "../sandbox-setup/environment/pod-field.ts";
import { readResourceField } from "../sandbox-setup/environment/resource-field.ts";
import { MountFault } from "./mount-fault.ts";
import { renewalOf, type TokenIssuer } from "./token-issuer.ts";

/** A file of a volume whose content comes from the API. */
export interface PayloadFile {
  readonly content: Buffer;
  readonly mode: number;
}

export interface Payload {
  /** By the path inside the volume. */
  readonly files: ReadonlyMap<string, PayloadFile>;
  /** When it must be made anew although nothing changed: a token in it grows old. */
  readonly renewAt?: Instant | undefined;
}

export interface PayloadInput {
  readonly pod: Pod;
  readonly place: PodPlace;
  readonly allocatable: Readonly<Record<string, string>>;
  readonly references: References;
  readonly tokens: TokenIssuer;
}

type Files = Map<string, PayloadFile>;

const defaultMode = 0o644;

/** What the API gives for a volume, or undefined when its files come from elsewhere. */
export async function payloadOf(volume: api.Volume, input: PayloadInput): Promise<Payload | undefined> {
  const { secret, configMap, downwardAPI, projected } = volume;
  const files: Files = new Map();
  if (secret !== undefined) {
    await addSecret(files, { ...secret, name: secret.secretName }, input, secret.defaultMode ?? defaultMode);
    return { files };
  }
  if (configMap !== undefined) {
    await addConfigMap(files, configMap, input, configMap.defaultMode ?? defaultMode);
    return { files };
  }
  if (downwardAPI !== undefined) {
    addFields(files, downwardAPI.items ?? [], input, downwardAPI.defaultMode ?? defaultMode);
    return { files };
  }
  return projected === undefined ? undefined : projectedPayload(projected, input);
}

async function projectedPayload(projected: api.ProjectedVolumeSource, input: PayloadInput): Promise<Payload> {
  const files: Files = new Map();
  const mode = projected.defaultMode ?? defaultMode;
  let renewAt: Instant | undefined;
  for (const { secret, configMap, downwardAPI, serviceAccountToken, ...other } of projected.sources ?? []) {
    if (secret !== undefined) await addSecret(files, secret, input, mode);
    else if (configMap !== undefined) await addConfigMap(files, configMap, input, mode);
    else if (downwardAPI !== undefined) addFields(files, downwardAPI.items ?? [], input, mode);
    else if (serviceAccountToken !== undefined) {
      const due = await addToken(files, serviceAccountToken, input);
      renewAt = Math.min(renewAt ?? due, due);
    } else throw new MountFault(`a projected ${Object.keys(other)[0] ?? "source"} is not supported on a local node`);
  }
  return { files, renewAt };
}

interface KeyedSource {
  readonly name?: string | undefined;
  readonly items?: readonly api.KeyToPath[] | undefined;
  readonly optional?: boolean | undefined;
}

async function addSecret(files: Files, source: KeyedSource, input: PayloadInput, mode: number): Promise<void> {
  const { name = "", optional = false } = source;
  const found = await input.references.secret(input.pod.metadata.namespace ?? "default", name);
  if (found === undefined && !optional) throw new MountFault(`secret "${name}" not found`);
  const contents = contentsOf(found?.data, "base64");
  addKeys(files, source, { contents, mode, missing: (key) => `references non-existent secret key: ${key}` });
}

async function addConfigMap(files: Files, source: KeyedSource, input: PayloadInput, mode: number): Promise<void> {
  const { name = "", optional = false } = source;
  const found = await input.references.configMap(input.pod.metadata.namespace ?? "default", name);
  if (found === undefined && !optional) throw new MountFault(`configmap "${name}" not found`);
  const contents = new Map([...contentsOf(found?.data, "utf8"), ...contentsOf(found?.binaryData, "base64")]);
  addKeys(files, source, { contents, mode, missing: (key) => `configmap references non-existent config key: ${key}` });
}

interface Keys {
  readonly contents: ReadonlyMap<string, Buffer>;
  readonly mode: number;
  readonly missing: (key: string) => string;
}

/** All keys under their own names, or those that the items pick. */
function addKeys(files: Files, { items = [], optional }: KeyedSource, { contents, mode, missing }: Keys): void {
  if (items.length === 0) {
    for (const [key, content] of contents) files.set(innerPath(key), { content, mode });
    return;
  }
  for (const { key, path, mode: own } of items) {
    const content = contents.get(key);
    if (content !== undefined) files.set(innerPath(path), { content, mode: own ?? mode });
    else if (optional !== true) throw new MountFault(missing(key));
  }
}

function addFields(files: Files, items: readonly api.DownwardAPIVolumeFile[], input: PayloadInput, mode: number): void {
  const { pod, place, allocatable } = input;
  for (const { path, fieldRef, resourceFieldRef, mode: own } of items) {
    const containers = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])];
    const container = containers.find(({ name }) => name === resourceFieldRef?.containerName);
    const value =
      fieldRef !== undefined
        ? readPodField(pod, fieldRef.fieldPath, place)
        : resourceFieldRef && container && readResourceField(container, resourceFieldRef, allocatable);
    if (value === undefined) {
      throw new MountFault(`unsupported fieldPath: ${fieldRef?.fieldPath ?? resourceFieldRef?.resource ?? path}`);
    }
    files.set(innerPath(path), { content: Buffer.from(value), mode: own ?? mode });
  }
}

/** A token that ends with the pod. */
async function addToken(
  files: Files,
  { path, audience, expirationSeconds = 3600 }: api.ServiceAccountTokenProjection,
  { pod, tokens }: PayloadInput,
): Promise<Instant> {
  const issued = await tokens.issue({ pod, audience, expirationSeconds });
  files.set(innerPath(path), { content: Buffer.from(issued.token), mode: 0o600 });
  return renewalOf(issued);
}

function contentsOf(map: Readonly<Record<string, string>> | undefined, encoding: BufferEncoding): Map<string, Buffer> {
  return new Map(Object.entries(map ?? {}).map(([key, text]) => [key, Buffer.from(text, encoding)]));
}

/** The API refuses such paths too; a file that leaves its volume is not worth trusting one check. */
function innerPath(path: string): string {
  const segments = path.split("/");
  const isInner = path !== "" && !segments.some((each) => each === "" || each === "." || each === "..");
  if (!isInner || path.startsWith("..") || path.includes("\0"))
    throw new MountFault(`"${path}" is not a path inside a volume`);
  return path;
}
