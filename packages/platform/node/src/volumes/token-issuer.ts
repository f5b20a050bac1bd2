import type { Pod, Transport } from "@trivium/kube";
import { type Instant, parseTime } from "@trivium/std";
import { MountFault } from "./mount-fault.ts";

export interface PodTokenRequest {
  readonly pod: Pod;
  readonly audience?: string | undefined;
  readonly expirationSeconds: number;
}

export interface PodToken {
  readonly token: string;
  readonly issued: Instant;
  readonly expires: Instant;
}

/** Who gives tokens of service accounts to pods. */
export interface TokenIssuer {
  issue(request: PodTokenRequest): Promise<PodToken>;
}

/** Asks the API for tokens (`TokenRequest`), bound to the pod, so that they end with it. */
export function tokensOver(transport: Transport, now: () => Instant): TokenIssuer {
  return {
    async issue({ pod, audience, expirationSeconds }) {
      const { name = "", namespace = "default", uid } = pod.metadata;
      const account = pod.spec?.serviceAccountName || "default";
      const body = {
        apiVersion: "authentication.k8s.io/v1",
        kind: "TokenRequest",
        metadata: {},
        spec: {
          audiences: audience === undefined ? [] : [audience],
          expirationSeconds,
          boundObjectRef: { apiVersion: "v1", kind: "Pod", name, uid },
        },
      };
      const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/serviceaccounts/${encodeURIComponent(account)}/token`;
      const issued = now();
      const answer = await transport({
        method: "POST",
        path,
        headers: { accept: "application/json", "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      const { status, message } = JSON.parse(await textOf(answer.body)) as Answer;
      if (answer.status >= 300 || typeof status !== "object" || status.token === undefined) {
        throw new MountFault(`failed to fetch token: ${message ?? `the API server responded with ${answer.status}`}`);
      }
      const expires = parseTime(status.expirationTimestamp ?? "") ?? issued + expirationSeconds * 1000;
      return { token: status.token, issued, expires };
    },
  };
}

/** When a token is changed: four fifths of its time are over, as a kubelet does. */
export const renewalOf = ({ issued, expires }: PodToken): Instant => issued + (expires - issued) * 0.8;

/** Asks again only when a token is due: a volume is written anew for other reasons too. */
export function rememberingTokens(issuer: TokenIssuer, now: () => Instant): TokenIssuer {
  const known = new Map<string, PodToken>();
  return {
    async issue(request) {
      const key = `${request.audience ?? ""} ${request.expirationSeconds}`;
      const before = known.get(key);
      if (before !== undefined && now() < renewalOf(before)) return before;
      const token = await issuer.issue(request);
      known.set(key, token);
      return token;
    },
  };
}

interface Answer {
  readonly status?: { readonly token?: string; readonly expirationTimestamp?: string } | string;
  readonly message?: string;
}

async function textOf(body: string | AsyncIterable<string>): Promise<string> {
  if (typeof body === "string") return body;
  let text = "";
  for await (const piece of body) text += piece;
  return text;
}
