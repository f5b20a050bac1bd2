import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import type { KeptSession } from "@trivium/dashboard-server";
import { keptSessions } from "./kept-sessions.ts";
import { findDashboard, keepStartToken } from "./start-token.ts";

const session = (key: string): KeptSession => ({ key, endsAt: 1, user: { name: "a", groups: [] } });

describe("what the dashboard keeps, when no new file can be written", () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "dashboard-"));
    mkdirSync(join(home, "identity"));
  });
  afterEach(() => rmSync(home, { recursive: true }));

  /** A folder of that name refuses the file, also for root. */
  const refuse = (name: string) => mkdirSync(join(home, "identity", `${name}.new`, "x"), { recursive: true });

  it("ends no process, and continues no session that may have been ended", () => {
    const kept = keptSessions(home);
    kept.save([session("a"), session("b")]);
    assert.deepEqual(kept.load(), [session("a"), session("b")]);
    refuse("dashboard-sessions.json");
    kept.save([session("a")]);
    assert.deepEqual(kept.load(), []);
  });

  it("has the token of the next log-in all the same", () => {
    keepStartToken(home, "first");
    refuse("dashboard-token");
    keepStartToken(home, "other");
    assert.equal(readFileSync(join(home, "identity", "dashboard-token"), "utf8"), "other\n");
    assert.match(
      findDashboard(home, { ports: { api: 1, gateway: 2, metrics: 3, dashboard: 4 } }) ?? "",
      /#start=other$/,
    );
  });
});
