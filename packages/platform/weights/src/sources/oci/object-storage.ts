import { WeightsError } from "../../fault.ts";
import type { HttpAnswer, HttpClient, HttpRequest } from "../../transfer/http/http-client.ts";
import type { Digest, RemoteFile } from "../../transfer/remote-file.ts";
import { headOf } from "../http-source.ts";
import { ask, type HttpTarget, openHttp } from "../open-http.ts";
import { PageGuard } from "../page-guard.ts";
import { readText } from "../read-text.ts";
import { checkRelativePath, maxFiles } from "../relative-path.ts";
import { encodeStrictly } from "../s3/sigv4.ts";
import type { Source } from "../source.ts";
import type { OciKey } from "./login.ts";
import { ociHeaders } from "./signature.ts";

export interface ObjectStoragePlace {
  /** `https://objectstorage.{region}.oraclecloud.com`, or another that speaks the same. */
  readonly endpoint: string;
  readonly signer: OciKey | undefined;
  /** The secret part of a pre-authenticated request for a bucket or a prefix. */
  readonly preauthenticated: string | undefined;
}

interface StoredObject {
  readonly name: string;
  readonly size: number;
  readonly etag: string | undefined;
  readonly md5: string | undefined;
}

/** Oracle's object storage. A name that is an object is that file; any other is a folder, and all that lies under it is the model. */
export function createObjectStorageSource(client: HttpClient, place: ObjectStoragePlace): Source<"oci-object"> {
  return {
    async resolve({ namespace, bucket, path }, signal) {
      const at = new OciBucket(client, place, { namespace, bucket });
      const isFolder = path === "" || path.endsWith("/");
      const single = isFolder ? undefined : await at.object(path, signal);
      const files = single === undefined ? await at.folder(isFolder ? path : `${path}/`, signal) : [single];
      if (files.length > 0) return { pinned: `${at.shownAs}${path}`, files };
      throw new WeightsError("not-found", "NotFound", `${at.shownAs}${path}: object or folder not found`);
    },
  };
}

class OciBucket {
  readonly shownAs: string;
  readonly #client: HttpClient;
  readonly #place: ObjectStoragePlace;
  readonly #base: string;

  constructor(client: HttpClient, place: ObjectStoragePlace, at: { namespace: string; bucket: string }) {
    this.#client = client;
    this.#place = place;
    const secret = place.preauthenticated === undefined ? "" : `/p/${encodeStrictly(place.preauthenticated)}`;
    const root = place.endpoint.replace(/\/+$/, "");
    this.#base = `${root}${secret}/n/${encodeStrictly(at.namespace)}/b/${encodeStrictly(at.bucket)}/o`;
    this.shownAs = `oci://n/${at.namespace}/b/${at.bucket}/o/`;
  }

  async object(name: string, signal: AbortSignal): Promise<RemoteFile | undefined> {
    try {
      const { size, version } = await headOf(this.#client, this.#target(name), signal);
      const found = { name, size: size ?? 0, etag: version, md5: undefined };
      return this.#file(found, name.slice(name.lastIndexOf("/") + 1), signal);
    } catch (error) {
      if (error instanceof WeightsError && error.reason === "NotFound") return undefined;
      throw error;
    }
  }

  async folder(prefix: string, signal: AbortSignal): Promise<RemoteFile[]> {
    const objects: StoredObject[] = [];
    const pages = new PageGuard(`${this.shownAs}${prefix}`);
    for (let start: string | undefined = ""; start !== undefined; ) {
      const page = await this.#page(prefix, start, signal);
      objects.push(...page.objects.filter(({ name }) => !name.endsWith("/")));
      if (objects.length > maxFiles)
        throw new WeightsError("refused", "TooManyFiles", `${this.shownAs}${prefix}: more than ${maxFiles} files`);
      start = pages.next(page.next);
    }
    return objects.map((object) => this.#file(object, object.name.slice(prefix.length), signal));
  }

  async #page(prefix: string, start: string, signal: AbortSignal): Promise<{ objects: StoredObject[]; next?: string }> {
    const query = [
      ["fields", "name,size,etag,md5"],
      ["limit", "1000"],
      ["prefix", prefix],
      ...(start === "" ? [] : [["start", start]]),
    ];
    const search = query.map(([name = "", value = ""]) => `${name}=${encodeStrictly(value)}`).join("&");
    const target = this.#target(undefined, search);
    const headers = { accept: "application/json" };
    const page = parsePage(
      await readText(await ask(this.#client, target, { method: "GET", headers, signal }), this.shownAs),
    );
    if (page !== undefined) return page;
    throw new WeightsError(
      "unreachable",
      "Unreachable",
      `${this.shownAs}: the server did not return a list of objects`,
    );
  }

  #target(name: string | undefined, search?: string): HttpTarget {
    const { signer, preauthenticated } = this.#place;
    // A slash inside a name is part of the name for this service; written plainly it means the same and reads better in logs.
    const path = name === undefined ? "" : `/${name.split("/").map(encodeStrictly).join("/")}`;
    const credentials = (method: HttpRequest["method"], url: URL) =>
      signer === undefined ? {} : ociHeaders({ method, url, now: new Date() }, signer);
    const shownAs = `${this.shownAs}${name ?? ""}`;
    return {
      url: new URL(`${this.#base}${path}${search === undefined ? "" : `?${search}`}`),
      shownAs,
      ...(preauthenticated === undefined ? { credentials } : {}),
      fault: (answer) => faultOf(answer, shownAs, signer !== undefined || preauthenticated !== undefined),
    };
  }

  #file({ name, size, etag, md5 }: StoredObject, path: string, signal: AbortSignal): RemoteFile {
    const target = this.#target(name);
    checkRelativePath(path, target.shownAs);
    const digest = md5 === undefined ? undefined : md5Digest(md5);
    return {
      path,
      shownAs: target.shownAs,
      size,
      ...(etag === undefined ? {} : { version: etag }),
      ...(digest === undefined ? {} : { digest }),
      open: async (options) => ({ ...(await openHttp(this.#client, target, options)), protocol: "oci" }),
      relist: async () => {
        const found = await this.object(name, signal);
        if (found !== undefined) return { ...found, path };
        throw new WeightsError("not-found", "NotFound", `${target.shownAs}: deleted during the download`);
      },
    };
  }
}

/** The service gives it in base64, and none for what was uploaded in parts. */
function md5Digest(base64: string): Digest | undefined {
  const bytes = Buffer.from(base64, "base64");
  return bytes.length === 16 ? { algorithm: "md5", hex: bytes.toString("hex") } : undefined;
}

function parsePage(text: string): { objects: StoredObject[]; next?: string } | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { objects, nextStartWith } = (value ?? {}) as { objects?: unknown; nextStartWith?: unknown };
  if (!Array.isArray(objects)) return undefined;
  const found: StoredObject[] = [];
  for (const each of objects as Record<string, unknown>[]) {
    const { name, size, etag, md5 } = each ?? {};
    if (typeof name !== "string" || !Number.isSafeInteger(size) || (size as number) < 0) return undefined;
    const text = (field: unknown) => (typeof field === "string" ? field : undefined);
    found.push({ name, size: size as number, etag: text(etag), md5: text(md5) });
  }
  return { objects: found, ...(typeof nextStartWith === "string" ? { next: nextStartWith } : {}) };
}

function faultOf(answer: HttpAnswer, shownAs: string, hasLogin: boolean): WeightsError | undefined {
  const { status } = answer;
  // The service does not tell what may not be seen from what is not there.
  if (status === 404 && !hasLogin)
    return new WeightsError("not-found", "NotFound", `${shownAs}: not found, or not public`);
  if (status !== 401 && status !== 403) return undefined;
  return hasLogin
    ? new WeightsError("not-allowed", "TokenRejected", `${shownAs}: the key is invalid or is not allowed to read it`)
    : new WeightsError("not-allowed", "TokenMissing", `${shownAs}: not public; configure an API key`);
}
