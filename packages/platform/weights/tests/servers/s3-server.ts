// A small S3: path style, HEAD, GET with ranges, ListObjectsV2 in pages. It checks signatures with code of its own.
import { createHash, createHmac } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { sendRange } from "@trivium/testkit";

export class S3Server {
  readonly objects = new Map<string, Buffer>();
  readonly accessKeyId = "AKIDTEST";
  readonly secretAccessKey = "test/secret+key";
  isPublic = false;
  pageSize = 1000;
  /** Keys as they came over the wire. */
  readonly rawPaths: string[] = [];
  #server = createServer((request, response) => this.#answer(request, response));

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return this;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get environment(): Record<string, string> {
    return {
      AWS_ENDPOINT_URL: this.endpoint,
      AWS_ACCESS_KEY_ID: this.accessKeyId,
      AWS_SECRET_ACCESS_KEY: this.secretAccessKey,
      AWS_REGION: "eu-west-3",
    };
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const [rawPath = "", query = ""] = (request.url ?? "").split("?");
    this.rawPaths.push(rawPath);
    if (!this.isPublic && !this.#isSigned(request, rawPath, query)) return void response.writeHead(403).end("<Error/>");
    if (!rawPath.startsWith("/bucket/"))
      return void response.writeHead(404).end("<Error><Code>NoSuchBucket</Code></Error>");
    const key = decodeURIComponent(rawPath.slice("/bucket/".length));
    if (key === "") return void this.#list(new URLSearchParams(query), response);
    const content = this.objects.get(key);
    if (content === undefined) return void response.writeHead(404).end();
    response.setHeader("etag", `"${createHash("md5").update(content).digest("hex")}"`);
    sendRange(content, request, response);
  }

  #list(query: URLSearchParams, response: ServerResponse): void {
    const prefix = query.get("prefix") ?? "";
    const keys = [...this.objects.keys()].filter((key) => key.startsWith(prefix)).sort();
    const start = Number(query.get("continuation-token") ?? 0);
    const page = keys.slice(start, start + this.pageSize).map((key) => {
      const content = this.objects.get(key) as Buffer;
      const etag = createHash("md5").update(content).digest("hex");
      const name = encodeURIComponent(key).replaceAll("%2F", "/").replaceAll("%20", "+");
      return `<Contents><Key>${name}</Key><ETag>&quot;${etag}&quot;</ETag><Size>${content.length}</Size></Contents>`;
    });
    const isMore = start + this.pageSize < keys.length;
    const next = isMore ? `<NextContinuationToken>${start + this.pageSize}</NextContinuationToken>` : "";
    response.end(
      `<ListBucketResult><EncodingType>url</EncodingType><IsTruncated>${isMore}</IsTruncated>${next}${page.join("")}</ListBucketResult>`,
    );
  }

  #isSigned(request: IncomingMessage, path: string, query: string): boolean {
    const header = request.headers.authorization ?? "";
    const match =
      /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=(\w+)$/.exec(
        header,
      );
    if (match === null) return false;
    const [, id, day = "", region = "", names = "", signature] = match;
    const stamp = String(request.headers["x-amz-date"]);
    if (id !== this.accessKeyId || !stamp.startsWith(day) || region !== "eu-west-3") return false;
    const lines = names.split(";").map((name) => `${name}:${String(request.headers[name]).trim()}\n`);
    const sorted = query === "" ? "" : query.split("&").sort().join("&");
    const canonical = `${request.method}\n${path}\n${sorted}\n${lines.join("")}\n${names}\n${request.headers["x-amz-content-sha256"]}`;
    const hash = createHash("sha256").update(canonical).digest("hex");
    let key: string | Buffer = `AWS4${this.secretAccessKey}`;
    for (const part of [day, region, "s3", "aws4_request"]) key = createHmac("sha256", key).update(part).digest();
    const text = `AWS4-HMAC-SHA256\n${stamp}\n${day}/${region}/s3/aws4_request\n${hash}`;
    return createHmac("sha256", key).update(text).digest("hex") === signature;
  }
}
