import { WeightsError } from "../../fault.ts";
import type { HttpAnswer, HttpClient, HttpRequest } from "../../transfer/http/http-client.ts";
import type { AwsLogin } from "../aws/credentials.ts";
import { awsLogin } from "../aws/login.ts";
import { awsProfileFrom } from "../aws/profile.ts";
import type { HttpTarget } from "../open-http.ts";
import { emptyPayload, encodeStrictly, signatureHeaders } from "./sigv4.ts";

export interface S3Place {
  readonly region: string;
  /** Absent: AWS itself. */
  readonly endpoint: string | undefined;
  /** The bucket in the path instead of the host name, as nearly all servers but AWS want it. */
  readonly style: "path" | "virtual-host";
  readonly login: AwsLogin;
}

/** Reads what the AWS tools read. A custom endpoint means path style unless `AWS_S3_ADDRESSING_STYLE` says `virtual`. */
export async function s3PlaceFrom(
  client: HttpClient,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<S3Place> {
  const profile = await awsProfileFrom(environment);
  const { settings } = profile;
  const endpoint =
    environment.AWS_ENDPOINT_URL_S3 || environment.AWS_ENDPOINT_URL || settings.endpoint_url || undefined;
  if (endpoint !== undefined && URL.parse(endpoint) === null)
    throw new WeightsError("refused", "InvalidOption", `AWS_ENDPOINT_URL: ${endpoint} is not a valid URL`);
  const region = environment.AWS_REGION || environment.AWS_DEFAULT_REGION || settings.region || "us-east-1";
  const isVirtual = endpoint === undefined || environment.AWS_S3_ADDRESSING_STYLE === "virtual";
  return {
    region,
    endpoint,
    style: isVirtual ? "virtual-host" : "path",
    login: awsLogin({ client, environment, profile, region }),
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
  const sign = async (method: HttpRequest["method"], signed: URL, signal: AbortSignal) => {
    const keys = await place.login(signal);
    if (keys === undefined) return {};
    const request = {
      method,
      url: signed,
      region: place.region,
      service: "s3",
      now: new Date(),
      payload: emptyPayload,
    };
    return signatureHeaders(request, keys);
  };
  const shownAs = `s3://${bucket}/${ask.key ?? ""}`;
  return {
    url,
    shownAs,
    credentials: sign,
    fault: (answer, sent) => s3Fault(answer, shownAs, { ...place, isAnonymous: sent.authorization === undefined }),
  };
}

function s3Fault(
  answer: HttpAnswer,
  shownAs: string,
  place: { readonly region: string; readonly isAnonymous: boolean },
): WeightsError | undefined {
  const region = answer.headers("x-amz-bucket-region");
  if ((answer.status === 301 || answer.status === 400) && region !== undefined && region !== place.region) {
    return new WeightsError(
      "refused",
      "InvalidOption",
      `${shownAs}: the bucket is in region ${region}; set AWS_REGION=${region}`,
    );
  }
  if (answer.status !== 403 && answer.status !== 401) return undefined;
  return place.isAnonymous
    ? new WeightsError(
        "not-allowed",
        "TokenMissing",
        `${shownAs}: not public; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or use another AWS login`,
      )
    : new WeightsError("not-allowed", "AccessDenied", `${shownAs}: the keys are invalid or are not allowed to read it`);
}
