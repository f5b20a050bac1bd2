// Stands between the program and a server that others wrote, and lets chosen answers go wrong.
import { createServer, type IncomingMessage, type ServerResponse, request as send } from "node:http";
import type { AddressInfo } from "node:net";

export type ByteFault =
  /** Another answer than the server's. */
  | { readonly is: "status"; readonly status: number; readonly headers?: Readonly<Record<string, string>> }
  /** So many bytes of the body, then the connection is reset. */
  | { readonly is: "reset"; readonly after: number }
  /** So many bytes of the body, then the connection is closed as if that were all. */
  | { readonly is: "truncate"; readonly after: number }
  /** So many bytes of the body, then silence. */
  | { readonly is: "stall"; readonly after: number }
  /** A few bytes now and then. */
  | { readonly is: "drip" }
  /** Headers that say something else than the truth. */
  | { readonly is: "headers"; readonly headers: (true_: Headers) => Headers }
  /** One bit of the body is not what it was. */
  | { readonly is: "flip"; readonly at: number };

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** What happens to a request; `count` is its number, from 1. */
export type ByteFaultPlan = (request: IncomingMessage, count: number) => ByteFault | undefined;

export class ByteFaultProxy {
  plan: ByteFaultPlan = () => undefined;
  requests = 0;
  /** Bytes of bodies that were passed on. */
  passed = 0;
  readonly #upstream: number;
  readonly #server = createServer((request, response) => this.#pass(request, response));

  constructor(upstreamPort: number) {
    this.#upstream = upstreamPort;
  }

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #pass(request: IncomingMessage, response: ServerResponse): void {
    const fault = this.plan(request, ++this.requests);
    if (fault?.is === "status") return void response.writeHead(fault.status, fault.headers).end("no\n");
    const { method, url, headers } = request;
    const onward = send({ host: "127.0.0.1", port: this.#upstream, method, path: url, headers });
    onward.on("error", () => response.destroy());
    response.on("close", () => onward.destroy());
    onward.on("response", (answer) => {
      const shown = fault?.is === "headers" ? fault.headers(answer.headers) : answer.headers;
      response.writeHead(answer.statusCode ?? 502, shown);
      answer.on("error", () => response.destroy());
      if (fault === undefined || fault.is === "headers") return void this.#copy(answer, response);
      if (fault.is === "drip") return void this.#drip(answer, response);
      if (fault.is === "flip") return void this.#flip(answer, response, fault.at);
      this.#cut(answer, response, fault);
    });
    onward.end();
  }

  #copy(answer: IncomingMessage, response: ServerResponse): void {
    answer.on("data", (chunk: Buffer) => {
      this.passed += chunk.length;
    });
    answer.pipe(response);
  }

  #cut(answer: IncomingMessage, response: ServerResponse, fault: { is: string; after: number }): void {
    let left = fault.after;
    answer.on("data", (chunk: Buffer) => {
      if (left <= 0) return;
      const part = chunk.subarray(0, left);
      left -= part.length;
      this.passed += part.length;
      response.write(part, () => {
        if (left > 0 || fault.is === "stall") return;
        if (fault.is === "reset") response.socket?.resetAndDestroy();
        else response.socket?.end();
      });
    });
    answer.on("end", () => {
      if (left > 0) response.end();
    });
  }

  #drip(answer: IncomingMessage, response: ServerResponse): void {
    answer.pause();
    const timer = setInterval(() => {
      const drop = answer.read(5) ?? answer.read();
      if (drop !== null) response.write(drop);
    }, 50);
    response.on("close", () => clearInterval(timer));
  }

  #flip(answer: IncomingMessage, response: ServerResponse, at: number): void {
    let observed = 0;
    answer.on("data", (chunk: Buffer) => {
      const index = at - observed;
      if (index >= 0 && index < chunk.length) chunk[index] = (chunk[index] ?? 0) ^ 1;
      observed += chunk.length;
      response.write(chunk);
    });
    answer.on("end", () => response.end());
  }
}
