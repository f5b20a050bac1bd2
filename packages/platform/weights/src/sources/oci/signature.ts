import { sign } from "node:crypto";
import type { OciKey } from "./login.ts";

export interface OciRequest {
  readonly method: string;
  readonly url: URL;
  readonly now: Date;
}

/** Signs a request without a body as Oracle's services want it: an RSA signature over the date, the target and the host. */
export function ociHeaders({ method, url, now }: OciRequest, { keyId, key }: OciKey): Record<string, string> {
  const date = now.toUTCString();
  const lines = [
    `date: ${date}`,
    `(request-target): ${method.toLowerCase()} ${url.pathname}${url.search}`,
    `host: ${url.host}`,
  ];
  const signature = sign("RSA-SHA256", Buffer.from(lines.join("\n")), key).toString("base64");
  const fields = [
    `version="1"`,
    `keyId="${keyId}"`,
    `algorithm="rsa-sha256"`,
    `headers="date (request-target) host"`,
    `signature="${signature}"`,
  ];
  return { date, authorization: `Signature ${fields.join(",")}` };
}
