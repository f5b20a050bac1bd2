import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { parse, stringify } from "yaml";
import type { KeyPair } from "./certificate.ts";
import { readPrivateFile, writePrivateFile } from "./private-file.ts";
import { adminUser } from "./server-identity.ts";

export interface KubeconfigContent {
  /** `https://127.0.0.1:6443` */
  readonly server: string;
  /** PEM of the authority the server's certificate is checked against. */
  readonly authority: string;
  readonly credential:
    | { readonly is: "certificate"; readonly pair: KeyPair }
    | { readonly is: "token"; readonly token: string };
  readonly namespace?: string;
}

const contextName = "trivium";

/**
 * Writes a kubeconfig that only its owner can read, with everything inside, at once. One that leads to this server with
 * this credential already is left as it is: a person may have chosen another namespace in it.
 */
export async function writeKubeconfig(path: string, content: KubeconfigContent): Promise<void> {
  const wanted = formatKubeconfig(content);
  if (leadsToSame(await readPrivateFile(path), wanted)) return;
  await mkdir(dirname(path), { recursive: true });
  await writePrivateFile(path, wanted);
}

function leadsToSame(found: string | undefined, wanted: string): boolean {
  if (found === undefined) return false;
  try {
    const [a, b] = [found, wanted].map((text) => parse(text) as { clusters?: unknown; users?: unknown });
    return isDeepStrictEqual([a?.clusters, a?.users], [b?.clusters, b?.users]);
  } catch {
    return false;
  }
}

export function formatKubeconfig({ server, authority, credential, namespace = "default" }: KubeconfigContent): string {
  const base64 = (pem: string) => Buffer.from(pem, "utf8").toString("base64");
  const user =
    credential.is === "token"
      ? { token: credential.token }
      : { "client-certificate-data": base64(credential.pair.cert), "client-key-data": base64(credential.pair.key) };
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: contextName, cluster: { server, "certificate-authority-data": base64(authority) } }],
    users: [{ name: adminUser, user }],
    contexts: [{ name: contextName, context: { cluster: contextName, user: adminUser, namespace } }],
    "current-context": contextName,
  };
  return stringify(config, { lineWidth: 0 });
}
