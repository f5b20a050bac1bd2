import { createHash, createHmac } from "node:crypto";

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

export interface SigningRequest {
  readonly method: string;
  readonly url: URL;
  readonly region: string;
  readonly service: string;
  readonly now: Date;
  /** Hex SHA-256 of the body; `UNSIGNED-PAYLOAD` where the service takes it. */
  readonly payload: string;
}

export const emptyPayload = createHash("sha256").update("").digest("hex");

/** The headers that sign a request with AWS signature version 4. The address must be sent exactly as it is given here. */
export function signatureHeaders(request: SigningRequest, credentials: AwsCredentials): Record<string, string> {
  const stamp = `${request.now.toISOString().slice(0, 19).replace(/[-:]/g, "")}Z`;
  const scope = `${stamp.slice(0, 8)}/${request.region}/${request.service}/aws4_request`;
  const headers: Record<string, string> = {
    host: request.url.host,
    "x-amz-content-sha256": request.payload,
    "x-amz-date": stamp,
    ...(credentials.sessionToken === undefined ? {} : { "x-amz-security-token": credentials.sessionToken }),
  };
  const signed = Object.keys(headers).sort().join(";");
  const toSign = ["AWS4-HMAC-SHA256", stamp, scope, sha256(canonicalRequest(request, headers))].join("\n");
  const key = ["aws4_request", request.service, request.region, stamp.slice(0, 8)].reduceRight<string | Buffer>(
    (secret, part) => createHmac("sha256", secret).update(part).digest(),
    `AWS4${credentials.secretAccessKey}`,
  );
  const signature = createHmac("sha256", key).update(toSign).digest("hex");
  const { host: _, ...sent } = headers;
  return {
    ...sent,
    authorization: `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/${scope}, SignedHeaders=${signed}, Signature=${signature}`,
  };
}

export function canonicalRequest(request: SigningRequest, headers: Readonly<Record<string, string>>): string {
  const names = Object.keys(headers).sort();
  const query = [...request.url.searchParams]
    .map(([name, value]) => `${encodeStrictly(name)}=${encodeStrictly(value)}`)
    .sort()
    .join("&");
  const lines = names.map((name) => `${name}:${headers[name]?.trim()}\n`).join("");
  return [request.method, request.url.pathname, query, lines, names.join(";"), request.payload].join("\n");
}

/** Percent-encodes everything but the unreserved characters of RFC 3986, as the signature demands. */
export function encodeStrictly(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
