import { WeightsError } from "../../fault.ts";
import type { IssuedCredentials } from "./credentials.ts";

/** The document that metadata services and credential programs answer with. Their names for the same fields differ a little. */
export function parseIssued(text: string, from: string): IssuedCredentials {
  const fields = fieldsOf(text);
  const accessKeyId = fields.AccessKeyId;
  const secretAccessKey = fields.SecretAccessKey;
  const sessionToken = fields.Token ?? fields.SessionToken;
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    throw new WeightsError("not-allowed", "TokenMissing", `${from}: the response contains no access key`);
  }
  const expiresAt = Date.parse(fields.Expiration ?? "");
  return {
    accessKeyId,
    secretAccessKey,
    ...(sessionToken === undefined ? {} : { sessionToken }),
    ...(Number.isNaN(expiresAt) ? {} : { expiresAt }),
  };
}

function fieldsOf(text: string): Record<string, string | undefined> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null) return {};
    return Object.fromEntries(Object.entries(value).filter(([, each]) => typeof each === "string" && each !== ""));
  } catch {
    return {};
  }
}
