import { createPrivateKey, type KeyObject, randomUUID, sign, X509Certificate } from "node:crypto";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { issueCertificate } from "@trivium/apiserver";

/** Gives out tokens for a registry, as large registries do: whoever logs in gets one for what was asked, and everybody else gets none. */
export class TokenServer {
  readonly service = "test-registry";
  readonly issuer = "test-tokens";
  /** The certificate by which a registry knows its tokens. */
  readonly cert: string;
  readonly #login: string;
  readonly #key: KeyObject;
  readonly #server: Server;

  /** `login`: `user:password`. */
  constructor(login: string) {
    const commonName = this.issuer;
    const { cert, key } = issueCertificate({ commonName, use: { is: "authority" }, days: 1, now: new Date() });
    this.cert = cert;
    this.#key = createPrivateKey(key);
    this.#login = `Basic ${btoa(login)}`;
    this.#server = createServer((request, response) => {
      const token = this.#tokenFor(request);
      if (token === undefined) return void response.writeHead(401).end();
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ token }));
    });
  }

  /** Where tokens are asked for. */
  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/token`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #tokenFor({ headers, url = "" }: IncomingMessage): string | undefined {
    const scopes = new URL(url, "http://tokens").searchParams.getAll("scope").flatMap((scope) => scope.split(" "));
    if (headers.authorization !== this.#login) return undefined;
    const now = Math.floor(Date.now() / 1000);
    const lifetime = { iat: now, nbf: now - 60, exp: now + 300 };
    return this.#signed({
      ...{ iss: this.issuer, aud: this.service, sub: "user", jti: randomUUID() },
      ...lifetime,
      access: scopes.map(accessOf),
    });
  }

  #signed(claims: object): string {
    const x5c = [new X509Certificate(this.cert).raw.toString("base64")];
    const body = [{ typ: "JWT", alg: "ES256", x5c }, claims].map((part) => encoded(JSON.stringify(part))).join(".");
    const signature = sign("sha256", Buffer.from(body), { key: this.#key, dsaEncoding: "ieee-p1363" });
    return `${body}.${encoded(signature)}`;
  }
}

const encoded = (part: string | Buffer): string => Buffer.from(part).toString("base64url");

/** `repository:team/image:pull,push` */
function accessOf(scope: string): { type: string; name: string; actions: string[] } {
  const [type = "", ...rest] = scope.split(":");
  return { type, name: rest.slice(0, -1).join(":"), actions: (rest.at(-1) ?? "").split(",") };
}
