import { faultOfRelativePath } from "@trivium/std";
import { WeightsError } from "../fault.ts";
import { type HttpClient, showUrl } from "../transfer/http/http-client.ts";
import type { RemoteFile } from "../transfer/remote-file.ts";
import { ask, type HttpTarget, lengthOf, opened, openHttp, versionOf } from "./open-http.ts";
import type { Source } from "./source.ts";

/** A plain address: one file. */
export function createHttpSource(client: HttpClient): Source<"http"> {
  return {
    async resolve({ url }, signal) {
      return { pinned: url.href, files: [await lookAt(client, url, signal)] };
    },
  };
}

async function lookAt(client: HttpClient, url: URL, signal: AbortSignal): Promise<RemoteFile> {
  const target: HttpTarget = { url, shownAs: showUrl(url) };
  const { size, version } = await headOf(client, target, signal);
  return {
    path: fileName(url),
    shownAs: target.shownAs,
    ...(size === undefined ? {} : { size }),
    ...(version === undefined ? {} : { version }),
    open: (options) => openHttp(client, target, options),
    relist: () => lookAt(client, url, signal),
  };
}

export interface Head {
  readonly size: number | undefined;
  readonly version: string | undefined;
}

/** Asks with HEAD; where that is not served (an address signed for GET alone, a simple server), with GET for one byte. */
export async function headOf(client: HttpClient, target: HttpTarget, signal: AbortSignal): Promise<Head> {
  try {
    const { headers } = await ask(client, target, { method: "HEAD", headers: {}, signal });
    return { size: lengthOf(headers), version: versionOf(headers) };
  } catch (error) {
    const isWorthAsking =
      error instanceof WeightsError && (error.kind === "refused" || error.reason === "AccessDenied");
    if (!isWorthAsking) throw error;
    const bytes = opened(
      await ask(client, target, { method: "GET", headers: { range: "bytes=0-0" }, signal }),
      target.shownAs,
    );
    bytes.cancel();
    return { size: bytes.total, version: bytes.version };
  }
}

function fileName(url: URL): string {
  const last = url.pathname.split("/").findLast((word) => word !== "") ?? "";
  let name = last;
  try {
    name = decodeURIComponent(last);
  } catch {
    // A broken escape stays as it is written.
  }
  return faultOfRelativePath(name) === undefined && !name.includes("/") ? name : "model";
}
