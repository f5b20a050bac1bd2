import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { stringify } from "yaml";
import type { KeyPair } from "./certificate.ts";
import { writePrivateFile } from "./private-file.ts";
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

/** Writes a kubeconfig that only its owner can read, with everything inside, at once. */
export async function writeKubeconfig(path: string, content: KubeconfigContent): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writePrivateFile(path, formatKubeconfig(content));
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
