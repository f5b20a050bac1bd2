import { join } from "node:path";
import { loadOrCreateIdentity } from "@trivium/apiserver";

/**
 * Arguments by which an API server hands requests for the APIs of other servers (metrics, for example) on to them, and by which those know
 * that it was the API server who authenticated the user.
 */
export async function aggregationArguments(folder: string): Promise<string[]> {
  const place = join(folder, "aggregation");
  await loadOrCreateIdentity(place);
  return [
    `--requestheader-client-ca-file=${join(place, "ca.crt")}`,
    "--requestheader-username-headers=X-Remote-User",
    "--requestheader-group-headers=X-Remote-Group",
    "--requestheader-extra-headers-prefix=X-Remote-Extra-",
    `--proxy-client-cert-file=${join(place, "admin.crt")}`,
    `--proxy-client-key-file=${join(place, "admin.key")}`,
  ];
}
