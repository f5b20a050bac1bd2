import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startAddress } from "@trivium/dashboard-server";
import type { RunRecord } from "../home.ts";

const fileOf = (home: string): string => join(home, "identity", "dashboard-token");

/** Keeps the token of the next log-in where only this user reads it: trivium status prints the address with it. */
export function keepStartToken(home: string, token: string): void {
  const path = fileOf(home);
  try {
    writeFileSync(`${path}.new`, `${token}\n`, { mode: 0o600 });
    renameSync(`${path}.new`, path);
  } catch (error) {
    // A disk that is full still takes what is as long as before, in its place: a person can log in and see what is wrong.
    if (!existsSync(path)) throw error;
    writeFileSync(path, `${token}\n`, { flag: "r+" });
  }
}

/** The address of the dashboard with the token that logs a browser in; nothing where none is served. */
export function findDashboard(home: string, { ports }: Pick<RunRecord, "ports">): string | undefined {
  if (ports.dashboard === undefined) return undefined;
  try {
    return startAddress(ports.dashboard, readFileSync(fileOf(home), "utf8").trim());
  } catch {
    return undefined;
  }
}
