import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { launchdAgent, systemdUnit } from "./unit.ts";

const command = {
  program: [process.execPath, "/opt/tri vium/trivium.mjs"],
  home: '/home/a "b"/100%/$HOME',
  options: ["--no-demo"],
};

test("a path with spaces, quotes, percent and dollar signs is one word of the unit", () => {
  const unit = systemdUnit(command);
  assert.ok(
    unit.includes(
      `ExecStart=${process.execPath} "/opt/tri vium/trivium.mjs" up --home "/home/a \\"b\\"/100%%/$$HOME" --no-demo\n`,
    ),
    unit,
  );
});

const hasSystemd = spawnSync("systemd-analyze", ["--version"]).status === 0;

test("systemd accepts the unit", { skip: !hasSystemd && "systemd is not installed" }, (t) => {
  const folder = mkdtempSync(join(tmpdir(), "trivium-unit-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "trivium.service");
  writeFileSync(path, systemdUnit(command));
  const { stdout, stderr } = spawnSync("systemd-analyze", ["--user", "verify", path], { encoding: "utf8" });
  const faults = `${stdout}${stderr}`.split("\n").filter((line) => line.includes("trivium.service"));
  assert.deepEqual(faults, []);
});

test("an agent of launchd has each word as text", () => {
  const agent = launchdAgent({ ...command, home: "/Users/a&b/<c>" });
  assert.match(agent, /<string>\/Users\/a&amp;b\/&lt;c&gt;<\/string>\n {4}<string>--no-demo<\/string>/);
});
