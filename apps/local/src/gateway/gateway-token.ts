import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Home } from "../home.ts";

/**
 * By it model servers of this machine know the gateway, which has judged the caller already. It stays the same over restarts,
 * because pods may outlive them.
 */
export function gatewayTokenOf(home: Home): string {
  const path = join(home.identity, "gateway-token");
  if (!existsSync(path)) writeFileSync(path, `${randomBytes(24).toString("base64url")}\n`, { mode: 0o600 });
  return readFileSync(path, "utf8").trim();
}
