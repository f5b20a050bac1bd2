import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What can be wrong with a registry. */
export type Mood =
  | { readonly is: "well" }
  | { readonly is: "status"; readonly status: number; readonly headers?: Readonly<Record<string, string>> }
  /** 200, and this. */
  | { readonly is: "garbage"; readonly text: string }
  /** It takes the request and says nothing. */
  | { readonly is: "silent" }
  /** It hangs up. */
  | { readonly is: "rude" };

const digestOf = (text: string): string => `sha256:${createHash("sha256").update(text).digest("hex")}`;
const mediaType = "application/vnd.oci.image.manifest.v1+json";

/** An OCI registry over real HTTP with images of no layers, in a mood that a test chooses. */
export class MoodyRegistry {
  /** By repository; others are served well. */
  readonly moods = new Map<string, Mood>();
  /** `user:password` that it wants to hear, where it wants any. */
  login: string | undefined;
  /** When a repository was asked for something, by the clock of the world. */
  readonly asked = new Map<string, number[]>();
  /** Every value of an `authorization` header that came. */
  readonly heard = new Set<string>();
  readonly #texts = new Map<string, string>();
  readonly #now: () => number;
  readonly #server = createServer((request, response) => this.#answer(request, response));

  constructor(now: () => number) {
    this.#now = now;
  }

  async listen(): Promise<this> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return this;
  }

  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  /** Puts an image under a name; the same name again moves it. */
  push(repository: string, tag: string, labels: Readonly<Record<string, unknown>>): void {
    const config = JSON.stringify({ os: "linux", architecture: "amd64", config: { Labels: labels } });
    const described = {
      mediaType: "application/vnd.oci.image.config.v1+json",
      digest: digestOf(config),
      size: config.length,
    };
    const manifest = JSON.stringify({ schemaVersion: 2, mediaType, config: described, layers: [] });
    this.#texts.set(`/v2/${repository}/manifests/${tag}`, manifest);
    this.#texts.set(`/v2/${repository}/blobs/${digestOf(config)}`, config);
    const list = `/v2/${repository}/tags/list`;
    const { tags } = JSON.parse(this.#texts.get(list) ?? '{"tags":[]}') as { tags: string[] };
    this.#texts.set(list, JSON.stringify({ name: repository, tags: [...new Set([...tags, tag])] }));
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const repository = /^\/v2\/(.+?)\/(?:manifests|blobs|tags)\//.exec(request.url ?? "")?.[1] ?? "";
    this.asked.set(repository, [...(this.asked.get(repository) ?? []), this.#now()]);
    const { authorization } = request.headers;
    if (authorization !== undefined) this.heard.add(authorization);
    const mood = this.moods.get(repository) ?? { is: "well" };
    switch (mood.is) {
      case "silent":
        return;
      case "rude":
        return void request.socket.destroy();
      case "status":
        return void response.writeHead(mood.status, mood.headers ?? {}).end("{}");
      case "garbage":
        return void response.writeHead(200, { "content-type": mediaType }).end(mood.text);
      case "well":
        this.#serve(request, response);
    }
  }

  #serve({ url = "", method, headers }: IncomingMessage, response: ServerResponse): void {
    if (this.login !== undefined && headers.authorization !== `Basic ${btoa(this.login)}`)
      return void response.writeHead(401, { "www-authenticate": 'Basic realm="here"' }).end("{}");
    const text = this.#texts.get(url.replace(/\?.*$/, ""));
    if (text === undefined) return void response.writeHead(404).end("{}");
    response.writeHead(200, { "content-type": mediaType, "docker-content-digest": digestOf(text) });
    response.end(method === "HEAD" ? undefined : text);
  }
}
