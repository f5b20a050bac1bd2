import { createPrivateKey, generateKeyPairSync } from "node:crypto";
import { join } from "node:path";
import { readPrivateFile, writePrivateFile } from "./private-file.ts";

/** The key kept under a directory, or a new one: tokens outlive the process that signed them. */
export async function keepAccountKey(directory: string): Promise<string> {
  const path = join(directory, "service-account.key");
  const kept = await readPrivateFile(path);
  if (kept !== undefined && isFit(kept)) return kept;
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const made = privateKey.export({ type: "pkcs8", format: "pem" }) as string;
  await writePrivateFile(path, made);
  return made;
}

/** A file cut short or of another kind of key is made again, not trusted. */
function isFit(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyDetails?.namedCurve === "prime256v1";
  } catch {
    return false;
  }
}
