import { WeightsError } from "../fault.ts";
import { chunksOf } from "../transfer/chunks.ts";
import {
  faultOfStatus,
  type HttpAnswer,
  type HttpClient,
  type HttpHeaders,
  type HttpRequest,
} from "../transfer/http/http-client.ts";
import type { ByteRange, OpenedBytes, OpenOptions } from "../transfer/remote-file.ts";

/** Where bytes are asked for. `headers` are made anew for each request, since a signature may carry the time. */
export interface HttpTarget {
  readonly url: URL;
  readonly shownAs: string;
  credentials?(
    method: HttpRequest["method"],
    url: URL,
    signal: AbortSignal,
  ): Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
  /** What a refusal means at this place, of a request that carried these credentials; undefined for what it means everywhere. */
  fault?(answer: HttpAnswer, sent: Readonly<Record<string, string>>): WeightsError | undefined;
}

/** Sends a request and throws unless the answer is a success. */
export async function ask(
  client: HttpClient,
  target: HttpTarget,
  wanted: Omit<HttpRequest, "url">,
): Promise<HttpAnswer> {
  const credentials = await target.credentials?.(wanted.method, target.url, wanted.signal);
  const answer = await client.send({
    ...wanted,
    url: target.url,
    ...(credentials === undefined ? {} : { credentials }),
  });
  if (answer.status >= 200 && answer.status < 300) return answer;
  await answer.body.dump({ limit: 65_536 }).catch(() => {});
  throw target.fault?.(answer, credentials ?? {}) ?? faultOfStatus(answer, target.shownAs);
}

/** `onFinal` is told where redirects led to. */
export async function openHttp(
  client: HttpClient,
  target: HttpTarget,
  options: OpenOptions,
  onFinal?: (url: URL) => void,
): Promise<OpenedBytes> {
  const { signal } = options;
  const answer = await ask(client, target, { method: "GET", headers: rangeHeaders(options), signal });
  onFinal?.(answer.url);
  return opened(answer, target.shownAs);
}

function rangeHeaders({ range, version }: OpenOptions): Record<string, string> {
  if (range === undefined) return {};
  const headers = { range: `bytes=${range.start}-${range.end - 1}` };
  // A weak ETag or none at all cannot make a range conditional; then the answer's own headers are compared.
  return version === undefined || version.startsWith("W/") ? headers : { ...headers, "if-range": version };
}

export function opened(answer: HttpAnswer, shownAs: string): OpenedBytes {
  const { range, total } =
    answer.status === 206 ? contentRange(answer, shownAs) : { range: undefined, total: lengthOf(answer.headers) };
  return {
    start: range?.start ?? 0,
    total,
    version: versionOf(answer.headers),
    protocol: answer.url.protocol.slice(0, -1),
    body: chunksOf(answer.body),
    recycle,
    cancel: () => {
      // Destroying a body that is not read to its end reports an error nobody waits for.
      answer.body.on("error", () => {});
      answer.body.destroy();
    },
  };
}

/**
 * Gives the memory of a network buffer back at once; left to the collector, they pile up to a hundred megabytes at a gigabyte a
 * second. Only of a buffer that ends with its chunk, since what follows may still be wanted, and never of one that Node shares among
 * small pieces of memory.
 */
function recycle({ buffer, byteOffset, byteLength }: Uint8Array): void {
  const isLast = byteOffset + byteLength === buffer.byteLength;
  const isShared = byteOffset > 0 && byteLength < Buffer.poolSize >>> 1;
  if (isLast && !isShared && buffer instanceof ArrayBuffer) buffer.transfer(0);
}

function contentRange(answer: HttpAnswer, shownAs: string): { range: ByteRange; total: number | undefined } {
  const match = /^bytes (\d{1,16})-(\d{1,16})\/(\d{1,16}|\*)$/.exec(answer.headers("content-range") ?? "");
  if (match === null) {
    answer.body.on("error", () => {}).destroy();
    throw new WeightsError("unreachable", "Unreachable", `${shownAs}: the server sent a range without Content-Range`);
  }
  const total = match[3] === "*" ? undefined : Number(match[3]);
  return { range: { start: Number(match[1]), end: Number(match[2]) + 1 }, total };
}

export function lengthOf(headers: HttpHeaders): number | undefined {
  const encoding = headers("content-encoding");
  const text = headers("content-length");
  if (text === undefined || !/^\d{1,16}$/.test(text) || (encoding !== undefined && encoding !== "identity"))
    return undefined;
  return Number(text);
}

/** An ETag if there is one, else the time of the last change. */
export function versionOf(headers: HttpHeaders): string | undefined {
  return headers("etag") ?? headers("last-modified");
}
