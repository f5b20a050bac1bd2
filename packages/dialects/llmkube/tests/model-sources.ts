import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";

interface File {
  content: Buffer;
  version: number;
}

/** A server that has what it is given, and refuses, hides and leads astray by path. */
export interface ModelSources {
  url(path: string): string;
  /** Where the hub stand-in is; its repository `org/gated` shows its list to everyone and its files to nobody without the token. */
  readonly hub: string;
  put(path: string, content: Buffer): void;
}

export const hubToken = "hf_allowed";

export async function startModelSources(test: TestContext): Promise<ModelSources> {
  const files = new Map<string, File>();
  const server = createServer((request, response) => answer(request, response, files));
  await new Promise<void>((resolve) => server.listen(0, resolve));
  test.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: (path) => `http://localhost:${port}${path}`,
    hub: `http://localhost:${port}`,
    put: (path, content) => void files.set(path, { content, version: (files.get(path)?.version ?? 0) + 1 }),
  };
}

function answer(request: IncomingMessage, response: ServerResponse, files: ReadonlyMap<string, File>): void {
  const { pathname } = new URL(request.url ?? "/", "http://here");
  if (pathname.startsWith("/locked/")) return void response.writeHead(401).end();
  if (pathname.startsWith("/inside/"))
    return void response.writeHead(302, { location: `http://127.0.0.1:1${pathname}` }).end();
  if (pathname.startsWith("/api/models/org/gated/")) return void sendRepository(pathname, response, files);
  const isGated = pathname.startsWith("/org/gated/resolve/");
  if (isGated && request.headers.authorization !== `Bearer ${hubToken}`)
    return void response.writeHead(401, { "x-error-code": "GatedRepo" }).end();
  const file = files.get(isGated ? "/gated.gguf" : pathname);
  if (file === undefined) return void response.writeHead(404).end();
  send(file, request, response);
}

function sendRepository(path: string, response: ServerResponse, files: ReadonlyMap<string, File>): void {
  const content = files.get("/gated.gguf")?.content ?? Buffer.alloc(0);
  const file = { type: "file", path: "model.gguf", size: content.length, oid: gitId(content) };
  response.end(JSON.stringify(path.includes("/tree/") ? [file] : { id: "org/gated", sha: "a".repeat(40) }));
}

const gitId = (content: Buffer): string =>
  createHash("sha1").update(`blob ${content.length}\0`).update(content).digest("hex");

function send({ content, version }: File, request: IncomingMessage, response: ServerResponse): void {
  const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "");
  const [start, end] = range === null ? [0, content.length] : [Number(range[1]), Number(range[2]) + 1];
  const part = content.subarray(start, Math.min(end, content.length));
  response.writeHead(range === null ? 200 : 206, {
    etag: `"v${version}"`,
    "accept-ranges": "bytes",
    "content-length": part.length,
    ...(range === null ? {} : { "content-range": `bytes ${start}-${start + part.length - 1}/${content.length}` }),
  });
  response.end(request.method === "HEAD" ? undefined : part);
}
