// A stand-in for a model hub: the revision and tree calls, `resolve` with a redirect to a content network, its error codes.
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

interface HubFile {
  readonly content: Buffer;
  readonly isLarge: boolean;
}

export class HubServer {
  commit = "a".repeat(40);
  readonly files = new Map<string, HubFile>();
  readonly goodToken = "hf_good";
  access: "public" | "gated" | "private" = "public";
  pageSize = 1000;
  /** How many more requests get a 503 before an answer. */
  failing = 0;
  /** Requests at the content network, with what they carried. */
  readonly contentRequests: IncomingMessage["headers"][] = [];
  resolves = 0;
  /** Bytes that the content network has sent. */
  served = 0;
  /** Once it has sent so many, it waits for `resume`. */
  stopAfter = Number.POSITIVE_INFINITY;
  #stopped = Promise.withResolvers<void>();
  #resumed = Promise.withResolvers<void>();
  #hub = createServer((request, response) => this.#answer(request, response));
  #content = createServer((request, response) => this.#sendContent(request, response));

  #host = "127.0.0.1";

  /** Listens on loopback, or on an address that others reach too. */
  async listen(host = this.#host): Promise<this> {
    this.#host = host;
    for (const server of [this.#hub, this.#content])
      await new Promise<void>((resolve) => server.listen(0, host, resolve));
    return this;
  }

  get endpoint(): string {
    return `http://${this.#host}:${(this.#hub.address() as AddressInfo).port}`;
  }

  /** Resolves when it has sent as much as it may. */
  untilStopped(): Promise<void> {
    return this.#stopped.promise;
  }

  resume(): void {
    this.stopAfter = Number.POSITIVE_INFINITY;
    this.#resumed.resolve();
    this.#resumed = Promise.withResolvers<void>();
    this.#stopped = Promise.withResolvers<void>();
  }

  async close(): Promise<void> {
    this.resume();
    for (const server of [this.#hub, this.#content]) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    if (this.failing > 0) {
      this.failing--;
      return void response.writeHead(503, { "retry-after": "0" }).end();
    }
    const url = new URL(request.url ?? "/", this.endpoint);
    const refusal = this.#refusal(request.headers.authorization, url.pathname);
    if (refusal !== undefined) {
      const [status, code] = refusal;
      return void response
        .writeHead(status, code === "" ? {} : { "x-error-code": code })
        .end(JSON.stringify({ error: "no" }));
    }
    const [, api, revision] = /^\/api\/models\/org\/repo\/(revision|tree)\/([^/]+)$/.exec(url.pathname) ?? [];
    if (api !== undefined && ![this.commit, "main", "HEAD", "refs%2Fpr%2F1"].includes(revision ?? "")) {
      return void response.writeHead(404, { "x-error-code": "RevisionNotFound" }).end();
    }
    if (api === "revision") return void response.end(JSON.stringify(this.#about()));
    if (api === "tree") return void this.#tree(url, response);
    const [, file] = /^\/org\/repo\/(?:resolve|raw)\/[^/]+\/(.*)$/.exec(url.pathname) ?? [];
    this.#resolve(decodeURIComponent(file ?? ""), request, response);
  }

  /** What clients are told of a repository before they ask for anything in it. */
  #about(): Record<string, unknown> {
    const siblings = [...this.files.keys()].map((rfilename) => ({ rfilename }));
    const facts = { private: this.access === "private", gated: this.access === "gated", downloads: 0, likes: 0 };
    const name = { id: "org/repo", modelId: "org/repo", _id: "0".repeat(24) };
    return { ...name, ...facts, sha: this.commit, lastModified: "2026-01-01T00:00:00.000Z", tags: [], siblings };
  }

  #refusal(authorization: string | undefined, path: string): [number, string] | undefined {
    const isGood = authorization === `Bearer ${this.goodToken}`;
    if (authorization !== undefined && !isGood) return [401, ""];
    if (!path.includes("org/repo")) return isGood ? [404, "RepoNotFound"] : [401, "RepoNotFound"];
    if (isGood || this.access === "public") return undefined;
    if (this.access === "private") return [401, "RepoNotFound"];
    // A gated repository shows its list to everyone; only the files are closed.
    return path.includes("/resolve/") ? [401, "GatedRepo"] : undefined;
  }

  #tree(url: URL, response: ServerResponse): void {
    const all = [...this.files].map(([path, { content, isLarge }]) => ({
      type: "file",
      path,
      size: content.length,
      oid: gitId(content),
      ...(isLarge ? { lfs: { oid: sha256(content), size: content.length, pointerSize: 134 } } : {}),
    }));
    const start = Number(url.searchParams.get("cursor") ?? 0);
    const end = start + this.pageSize;
    if (end < all.length) {
      url.searchParams.set("cursor", String(end));
      response.setHeader("link", `<${url.href}>; rel="next"`);
    }
    response.end(JSON.stringify([{ type: "directory", path: "sub", size: 0, oid: "0" }, ...all.slice(start, end)]));
  }

  #resolve(path: string, request: IncomingMessage, response: ServerResponse): void {
    const file = this.files.get(path);
    this.resolves++;
    if (file === undefined) return void response.writeHead(404, { "x-error-code": "EntryNotFound" }).end();
    const facts = { "x-repo-commit": this.commit, "accept-ranges": "bytes" };
    if (!file.isLarge) {
      response.setHeaders(new Map(Object.entries({ ...facts, etag: `"${gitId(file.content)}"` })));
      return void sendRange(file.content, request, response);
    }
    const { port } = this.#content.address() as AddressInfo;
    const location = `http://${this.#host}:${port}/blob/${encodeURIComponent(path)}?Signature=s3cr3t`;
    const linked = { "x-linked-size": String(file.content.length), "x-linked-etag": `"${sha256(file.content)}"` };
    response.writeHead(302, { location, ...facts, ...linked }).end();
  }

  #sendContent(request: IncomingMessage, response: ServerResponse): void {
    this.contentRequests.push(request.headers);
    const path = decodeURIComponent(new URL(request.url ?? "/", "http://x").pathname.slice("/blob/".length));
    const file = this.files.get(path);
    if (file === undefined) return void response.writeHead(404).end();
    // Different mirrors name the same bytes differently.
    response.setHeader("etag", `"mirror-${this.contentRequests.length % 3}"`);
    void this.#sendSlowly(file.content, request, response);
  }

  async #sendSlowly(content: Buffer, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { status, headers, bytes } = rangeOf(content, request);
    response.writeHead(status, headers);
    if (request.method === "HEAD") return void response.end();
    for (let at = 0; at < bytes.length && !response.destroyed; at += step) {
      if (this.served >= this.stopAfter) {
        this.#stopped.resolve();
        await this.#resumed.promise;
      }
      const part = bytes.subarray(at, at + step);
      this.served += part.length;
      if (!response.write(part)) await taken(response);
    }
    response.end();
  }
}

const step = 64 * 1024;

/** The reader took what was written, or is gone. */
const taken = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const go = (): void => {
      response.off("drain", go).off("close", go);
      resolve();
    };
    response.on("drain", go).on("close", go);
  });

const sha256 = (content: Buffer): string => createHash("sha256").update(content).digest("hex");
const gitId = (content: Buffer): string =>
  createHash("sha1").update(`blob ${content.length}\0`).update(content).digest("hex");

export function sendRange(content: Buffer, request: IncomingMessage, response: ServerResponse): void {
  const { status, headers, bytes } = rangeOf(content, request);
  response.writeHead(status, headers);
  response.end(request.method === "HEAD" ? undefined : bytes);
}

function rangeOf(content: Buffer, request: IncomingMessage) {
  const match = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "");
  const start = match === null ? 0 : Number(match[1]);
  const end = match === null ? content.length : Math.min(content.length, Number(match[2]) + 1);
  const headers = {
    "content-length": end - start,
    ...(match === null ? {} : { "content-range": `bytes ${start}-${end - 1}/${content.length}` }),
  };
  return { status: match === null ? 200 : 206, headers, bytes: content.subarray(start, end) };
}
