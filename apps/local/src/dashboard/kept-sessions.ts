import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { KeptSession, KeptSessions } from "@trivium/dashboard-server";

/** Sessions of the dashboard over a restart of the control plane, in a file that only this user reads. */
export function keptSessions(home: string): KeptSessions {
  const path = join(home, "identity", "dashboard-sessions.json");
  return {
    load: () => readKept(path),
    save(sessions) {
      try {
        writeFileSync(`${path}.new`, `${JSON.stringify(sessions)}\n`, { mode: 0o600 });
        renameSync(`${path}.new`, path);
      } catch {
        // On a full disk: a session that was ended must not continue after a restart, so none does.
        remove(path);
        remove(`${path}.new`);
      }
    },
  };
}

/** Only to be kept in this process is no reason to end it. */
function remove(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {}
}

/** A file that is missing, half written or of another version means new log-ins, no more. */
function readKept(path: string): KeptSession[] {
  try {
    const list = JSON.parse(readFileSync(path, "utf8")) as unknown;
    return Array.isArray(list) ? list.filter(isKept) : [];
  } catch {
    return [];
  }
}

function isKept(value: unknown): value is KeptSession {
  const { key, endsAt, user } = (value ?? {}) as Partial<Record<keyof KeptSession, unknown>>;
  const name = (user as { name?: unknown } | undefined)?.name;
  return typeof key === "string" && typeof endsAt === "number" && typeof name === "string";
}
