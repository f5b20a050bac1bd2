import { createHash } from "node:crypto";
import type { ImageReport, RegistryRefusal } from "@trivium/domain";
import { isObject, type Json } from "@trivium/std";
import { manifestFor, type RegistryApi } from "@trivium/weights";
import { refused } from "./registry-fault.ts";

/** Configurations are a few kilobytes; labels end up in a status, and an object of the API has a limit. */
const maxConfigBytes = 4 << 20;
const maxLabelCharacters = 256 << 10;

/** Reads manifest and configuration of an image, never its layers. */
export async function readImage(
  api: RegistryApi,
  { reference, platform }: { readonly reference: string; readonly platform: string },
  signal: AbortSignal,
): Promise<ImageReport | RegistryRefusal> {
  const first = await api.manifest(reference, signal);
  const { digest } = first;
  const manifest = Array.isArray(first.document.manifests)
    ? (await api.manifest(manifestFor(first.document.manifests, platform, api.shownAs), signal)).document
    : first.document;
  const config = configOf(manifest);
  if (config === undefined) return refused("unreadable", `${api.shownAs}: the manifest contains no configuration`);
  if (config.size > maxConfigBytes)
    return refused("unreadable", `${api.shownAs}: the configuration is larger than ${maxConfigBytes} bytes`);
  const { text } = await api.page(`blobs/${config.digest}`, signal);
  if (`sha256:${createHash("sha256").update(text).digest("hex")}` !== config.digest)
    return refused("unreadable", `${api.shownAs}: the digest of the configuration does not match the manifest`);
  return reportOf(text, { digest, platform, shownAs: api.shownAs });
}

function configOf(manifest: Record<string, unknown>): { digest: string; size: number } | undefined {
  const { digest, size } = (manifest.config ?? {}) as { digest?: unknown; size?: unknown };
  const isWhole = typeof digest === "string" && /^sha256:[0-9a-f]{64}$/.test(digest) && Number.isSafeInteger(size);
  return isWhole ? { digest, size: size as number } : undefined;
}

function reportOf(
  text: string,
  { digest, platform, shownAs }: { digest: string; platform: string; shownAs: string },
): ImageReport | RegistryRefusal {
  const document = parsed(text);
  if (!isObject(document)) return refused("unreadable", `${shownAs}: the configuration is not JSON`);
  const { os, architecture, config } = document;
  const labels = labelsOf(isObject(config) ? config.Labels : undefined);
  const characters = Object.entries(labels).reduce((sum, [key, value]) => sum + key.length + value.length, 0);
  if (characters > maxLabelCharacters)
    return refused("unreadable", `${shownAs}: the labels have more than ${maxLabelCharacters} characters`);
  const own = typeof os === "string" && typeof architecture === "string" ? `${os}/${architecture}` : platform;
  return { is: "image", digest, platform: own, labels };
}

/** What is no text is no label. */
function labelsOf(value: Json | undefined): Record<string, string> {
  const pairs = isObject(value ?? null) ? Object.entries(value as Record<string, Json>) : [];
  return Object.fromEntries(pairs.flatMap(([key, text]) => (typeof text === "string" ? [[key, text]] : [])));
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
