import { readFile } from "node:fs/promises";
import { WeightsError } from "../../fault.ts";
import type { HttpClient } from "../../transfer/http/http-client.ts";
import { ask } from "../open-http.ts";
import { readText } from "../read-text.ts";
import type { IssuedCredentials } from "./credentials.ts";

export interface WebIdentity {
  readonly roleArn: string;
  readonly tokenFile: string;
  readonly sessionName: string;
  /** Where AssumeRoleWithWebIdentity is asked for. */
  readonly endpoint: string;
}

/** Trades the token that a cluster puts into a pod for keys of a role. The file is read each time: the cluster renews it. */
export async function assumeRole(
  client: HttpClient,
  identity: WebIdentity,
  signal: AbortSignal,
): Promise<IssuedCredentials> {
  const token = await readFile(identity.tokenFile, "utf8").catch((error) => {
    const message = `AWS_WEB_IDENTITY_TOKEN_FILE: cannot read ${identity.tokenFile}`;
    throw new WeightsError("not-allowed", "TokenMissing", message, { cause: error });
  });
  const body = new URLSearchParams({
    Action: "AssumeRoleWithWebIdentity",
    Version: "2011-06-15",
    RoleArn: identity.roleArn,
    RoleSessionName: identity.sessionName,
    WebIdentityToken: token.trim(),
  }).toString();
  const shownAs = `role ${identity.roleArn}`;
  const target = {
    url: new URL(identity.endpoint),
    shownAs,
    fault: ({ status }: { status: number }) =>
      status >= 400 && status < 500 && status !== 429
        ? new WeightsError(
            "not-allowed",
            "TokenRejected",
            `${shownAs}: the service account of the pod is not allowed to assume it (${status})`,
          )
        : undefined,
  };
  const headers = { "content-type": "application/x-www-form-urlencoded", accept: "application/xml" };
  return parseAssumed(
    await readText(await ask(client, target, { method: "POST", headers, body, signal }), shownAs),
    shownAs,
  );
}

function parseAssumed(xml: string, from: string): IssuedCredentials {
  const part = (tag: string): string => new RegExp(`<${tag}>\\s*([^<]+?)\\s*</${tag}>`).exec(xml)?.[1] ?? "";
  const [accessKeyId, secretAccessKey] = [part("AccessKeyId"), part("SecretAccessKey")];
  if (accessKeyId === "" || secretAccessKey === "")
    throw new WeightsError("unreachable", "Unreachable", `${from}: the response contains no keys`);
  const expiresAt = Date.parse(part("Expiration"));
  return {
    accessKeyId,
    secretAccessKey,
    sessionToken: part("SessionToken"),
    ...(Number.isNaN(expiresAt) ? {} : { expiresAt }),
  };
}
