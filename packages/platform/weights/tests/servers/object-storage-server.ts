// A stand-in for Oracle's object storage: get, head, list in pages, RSA signatures checked, pre-authenticated requests.
import { createHash, generateKeyPairSync, verify } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { sendRange } from "@trivium/testkit";

export class ObjectStorageServer {
  readonly keyId = "ocid1.tenancy.t/ocid1.user.u/aa:bb";
  readonly keys = generateKeyPairSync("rsa", { modulusLength: 2048 });
  readonly preauthenticated = "s3cr3t-par";
  readonly objects = new Map<string, Buffer>();
  isPublic = false;
  pageSize = 1000;
  #server = createServer((request, response) => this.#answer(request, response));

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return this;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get pem(): string {
    return this.keys.privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? "/", this.endpoint);
    const secret = `/p/${this.preauthenticated}`;
    const isOpen = this.isPublic || url.pathname.startsWith(secret);
    if (!isOpen && !this.#isSigned(request)) {
      const status = request.headers.authorization === undefined ? 404 : 401;
      return void response.writeHead(status).end(JSON.stringify({ code: "BucketNotFound" }));
    }
    const base = "/n/space/b/weights/o";
    const path = url.pathname.replace(secret, "");
    if (path === base) return void this.#list(url.searchParams, response);
    const content = this.objects.get(decodeURIComponent(path.slice(base.length + 1)));
    if (content === undefined) return void response.writeHead(404).end(JSON.stringify({ code: "ObjectNotFound" }));
    response.setHeader("etag", etagOf(content));
    sendRange(content, request, response);
  }

  #list(query: URLSearchParams, response: ServerResponse): void {
    const prefix = query.get("prefix") ?? "";
    const names = [...this.objects.keys()].filter((name) => name.startsWith(prefix)).sort();
    const start = names.findIndex((name) => name >= (query.get("start") ?? ""));
    const page = names.slice(Math.max(0, start), Math.max(0, start) + this.pageSize);
    const next = names[Math.max(0, start) + this.pageSize];
    const objects = page.map((name) => {
      const content = this.objects.get(name) as Buffer;
      const md5 = createHash("md5").update(content).digest("base64");
      return { name, size: content.length, etag: etagOf(content), md5 };
    });
    response.end(JSON.stringify({ objects, ...(next === undefined ? {} : { nextStartWith: next }) }));
  }

  #isSigned(request: IncomingMessage): boolean {
    const fields = new Map(
      [...(request.headers.authorization ?? "").matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]),
    );
    if (fields.get("keyId") !== this.keyId || fields.get("algorithm") !== "rsa-sha256") return false;
    const names = (fields.get("headers") ?? "").split(" ");
    if (!["date", "(request-target)", "host"].every((name) => names.includes(name))) return false;
    const lines = names.map((name) =>
      name === "(request-target)"
        ? `${name}: ${request.method?.toLowerCase()} ${request.url}`
        : `${name}: ${request.headers[name]}`,
    );
    const signature = Buffer.from(fields.get("signature") ?? "", "base64");
    return verify("RSA-SHA256", Buffer.from(lines.join("\n")), this.keys.publicKey, signature);
  }
}

function etagOf(content: Buffer): string {
  return createHash("sha1").update(content).digest("hex");
}
