import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { platform, tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { test } from "node:test";
import { ownProgram } from "@trivium/testkit";

const [node = "", main = ""] = ownProgram("trivium", new URL("../src/main.ts", import.meta.url));

/** `trivium service` where systemctl ends with this exit code, as it does without a user session. */
function service(folder: string, word: string, systemctl: number) {
  const program = join(folder, "systemctl");
  writeFileSync(program, `#!/bin/sh\necho "Failed to connect to bus" >&2\nexit ${systemctl}\n`);
  chmodSync(program, 0o755);
  const env = {
    ...process.env,
    ...{ HOME: folder, TRIVIUM_HOME: join(folder, "home"), XDG_CONFIG_HOME: join(folder, "config") },
    PATH: [folder, process.env.PATH].join(delimiter),
  };
  return spawnSync(node, [main, "service", word], { env, encoding: "utf8" });
}

test("a unit that cannot be started is not left behind", {
  skip: platform() !== "linux" && "systemd is of Linux",
}, (t) => {
  const folder = mkdtempSync(join(tmpdir(), "trivium-service-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const unit = join(folder, "config/systemd/user/trivium.service");
  const failed = service(folder, "install", 1);
  assert.equal(failed.status, 1);
  assert.match(
    failed.stderr,
    /daemon-reload failed: Failed to connect to bus; .* start the control plane with trivium up -d/,
  );
  assert.ok(!existsSync(unit));

  assert.equal(service(folder, "install", 0).status, 0);
  assert.ok(existsSync(unit));
  assert.equal(service(folder, "install", 1).status, 1);
  assert.ok(existsSync(unit), "what was installed before stays");
  assert.equal(service(folder, "uninstall", 0).status, 0);
  assert.ok(!existsSync(unit));
});
