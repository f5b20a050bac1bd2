import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A model hub with one repository of one file: what `trivium-weights` asks of it, and nothing more. */
export class OneFileHub {
  readonly #content: Buffer;
  readonly #name: string;
  readonly #server = createServer((request, response) => this.#answer(request, response));

  constructor(name: string, content: Buffer) {
    this.#name = name;
    this.#content = content;
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const path = new URL(request.url ?? "/", "http://hub").pathname;
    const sha = "a".repeat(40);
    const size = this.#content.length;
    const oid = createHash("sha256").update(this.#content).digest("hex");
    if (path.startsWith("/api/models/org/repo/revision/"))
      return void response.end(JSON.stringify({ id: "org/repo", sha, siblings: [{ rfilename: this.#name }] }));
    if (path.startsWith("/api/models/org/repo/tree/"))
      return void response.end(
        JSON.stringify([{ type: "file", path: this.#name, size, oid: sha, lfs: { oid, size } }]),
      );
    if (!path.startsWith("/org/repo/resolve/"))
      return void response.writeHead(404, { "x-error-code": "RepoNotFound" }).end();
    const [, from = "0", to = String(size - 1)] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "") ?? [];
    const part = this.#content.subarray(Number(from), Number(to) + 1);
    const range = { "content-range": `bytes ${from}-${Number(from) + part.length - 1}/${size}` };
    const isPart = request.headers.range !== undefined;
    response.writeHead(isPart ? 206 : 200, {
      "content-length": part.length,
      "accept-ranges": "bytes",
      etag: `"${oid}"`,
      "x-repo-commit": sha,
      ...(isPart ? range : {}),
    });
    response.end(request.method === "HEAD" ? undefined : part);
  }
}
