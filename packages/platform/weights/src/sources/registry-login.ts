import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** The `user:password` of a registry in base64, where one is known. */
export type RegistryLogins = (host: string) => string | undefined;

/** Reads the file that `docker login` and its relatives write. Helpers that keep passwords elsewhere are not asked. */
export function registryLoginsFrom(environment: Readonly<Record<string, string | undefined>>): RegistryLogins {
  return (host) => {
    const folder = environment.DOCKER_CONFIG || join(environment.HOME || homedir(), ".docker");
    try {
      const config = JSON.parse(readFileSync(join(folder, "config.json"), "utf8")) as {
        auths?: Record<string, { auth?: unknown }>;
      };
      const auth = config.auths?.[host]?.auth;
      return typeof auth === "string" && /^[A-Za-z0-9+/]+=*$/.test(auth) ? auth : undefined;
    } catch {
      return undefined;
    }
  };
}
