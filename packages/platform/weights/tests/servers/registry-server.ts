// A small OCI registry with bearer tokens that expire after a few requests, and blobs behind a redirect.
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { sendRange } from "@trivium/testkit";

const digestOf = (content: Buffer): string => `sha256:${createHash("sha256").update(content).digest("hex")}`;

export class RegistryServer {
  readonly blobs = new Map<string, Buffer>();
  readonly login = Buffer.from("user:pass").toString("base64");
  isPrivate = false;
  tokensIssued = 0;
  #left = 0;
  #manifest = Buffer.alloc(0);
  #server = createServer((request, response) => this.#answer(request, response));

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return this;
  }

  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Publishes these files, or with no names an ordinary image. */
  publish(files: readonly [string | undefined, Buffer][]): string {
    const layers = files.map(([title, content]) => {
      this.blobs.set(digestOf(content), content);
      const annotations = title === undefined ? {} : { annotations: { "org.opencontainers.image.title": title } };
      return { mediaType: "application/octet-stream", digest: digestOf(content), size: content.length, ...annotations };
    });
    this.#manifest = Buffer.from(JSON.stringify({ schemaVersion: 2, layers }));
    return digestOf(this.#manifest);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const path = (request.url ?? "").split("?")[0] ?? "";
    if (path === "/token") {
      if (this.isPrivate && request.headers.authorization !== `Basic ${this.login}`)
        return void response.writeHead(401).end();
      this.#left = 3;
      return void response.end(JSON.stringify({ token: `t${++this.tokensIssued}` }));
    }
    if (request.headers.authorization !== `Bearer t${this.tokensIssued}` || this.#left-- <= 0) {
      const challenge = `Bearer realm="http://${this.host}/token",service="reg",scope="repository:team/model:pull"`;
      return void response.writeHead(401, { "www-authenticate": challenge }).end();
    }
    if (path === "/v2/team/model/manifests/v1" || path === `/v2/team/model/manifests/${digestOf(this.#manifest)}`) {
      return void response.end(this.#manifest);
    }
    const blob = this.blobs.get(path.replace("/v2/team/model/blobs/", ""));
    if (blob === undefined) return void response.writeHead(404).end();
    sendRange(blob, request, response);
  }
}
