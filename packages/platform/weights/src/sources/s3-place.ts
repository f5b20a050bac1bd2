import { WeightsError } from "../fault.ts";
import type { HttpAnswer, HttpRequest } from "../transfer/http-client.ts";
import type { HttpTarget } from "./open-http.ts";
import { type AwsCredentials, emptyPayload, encodeStrictly, signatureHeaders } from "./sigv4.ts";

export interface S3Place {
  readonly region: string;
  /** Absent: AWS itself. */
  readonly endpoint: string | undefined;
  /** The bucket in the path instead of the host name, as nearly all servers but AWS want it. */
  readonly style: "path" | "virtual-host";
  /** Absent: anonymous. */
  readonly credentials: AwsCredentials | undefined;
}

/** Reads what the AWS tools read. A custom endpoint means path style unless `AWS_S3_ADDRESSING_STYLE` says `virtual`. */
export function s3PlaceFrom(environment: Readonly<Record<string, string | undefined>>): S3Place {
  const {
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN: sessionToken,
  } = environment;
  const endpoint = environment.AWS_ENDPOINT_URL_S3 || environment.AWS_ENDPOINT_URL || undefined;
  const isVirtual = endpoint === undefined || environment.AWS_S3_ADDRESSING_STYLE === "virtual";
  return {
    region: environment.AWS_REGION || environment.AWS_DEFAULT_REGION || "us-east-1",
    endpoint,
    style: isVirtual ? "virtual-host" : "path",
    credentials:
      accessKeyId && secretAccessKey
        ? { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) }
        : undefined,
  };
}

/** Where an object, or with no key the bucket, is asked for. */
export function s3Target(place: S3Place, bucket: string, ask: { key?: string; query?: string }): HttpTarget {
  const base = new URL(place.endpoint ?? `https://s3.${place.region}.amazonaws.com`);
  // A dot in the bucket does not fit the certificate of a host name made from it.
  const isVirtual = place.style === "virtual-host" && !bucket.includes(".");
  const path = [...(isVirtual ? [] : [bucket]), ...(ask.key ?? "").split("/")].map(encodeStrictly).join("/");
  const root = base.pathname.replace(/\/$/, "");
  const host = isVirtual ? `${bucket}.${base.host}` : base.host;
  const url = new URL(`${base.protocol}//${host}${root}/${path}${ask.query === undefined ? "" : `?${ask.query}`}`);
  const { credentials, region } = place;
  const sign = (signedBy: AwsCredentials) => (method: HttpRequest["method"], signed: URL) =>
    signatureHeaders({ method, url: signed, region, service: "s3", now: new Date(), payload: emptyPayload }, signedBy);
  const shownAs = `s3://${bucket}/${ask.key ?? ""}`;
  return {
    url,
    shownAs,
    ...(credentials === undefined ? {} : { credentials: sign(credentials) }),
    fault: (answer) => s3Fault(answer, shownAs, place),
  };
}

function s3Fault(answer: HttpAnswer, shownAs: string, place: S3Place): WeightsError | undefined {
  const region = answer.headers("x-amz-bucket-region");
  if ((answer.status === 301 || answer.status === 400) && region !== undefined && region !== place.region) {
    return new WeightsError(
      "refused",
      "InvalidOption",
      `${shownAs}: the bucket is in region ${region}; set AWS_REGION=${region}`,
    );
  }
  if (answer.status !== 403 && answer.status !== 401) return undefined;
  return place.credentials === undefined
    ? new WeightsError(
        "not-allowed",
        "TokenMissing",
        `${shownAs}: not open to anonymous readers; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY`,
      )
    : new WeightsError("not-allowed", "AccessDenied", `${shownAs}: these keys may not read it, or are wrong`);
}
