import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type KeyPair, loadOrCreateIdentity, type ServerIdentity } from "@trivium/apiserver";

/** A folder with `tls.crt`, `tls.key` and `ca.crt`, as a Secret of a certificate is mounted. */
export function writeCertificates(folder: string, pair: KeyPair, authority: string): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "ca.crt"), authority);
  writeFileSync(join(folder, "tls.crt"), pair.cert, { mode: 0o600 });
  writeFileSync(join(folder, "tls.key"), pair.key, { mode: 0o600 });
  return folder;
}

/** An authority of its own for one project, with a certificate for these names besides those of the machine. */
export const identityOf = (folder: string, ...names: readonly string[]): Promise<ServerIdentity> =>
  loadOrCreateIdentity(join(folder, "identity"), { names: [...names] });
