import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { engineCommand, ownCommand } from "./command.ts";

const folder = mkdtempSync(join(tmpdir(), "trivium-command-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const server = join(folder, "llama-server");
writeFileSync(server, "#!/bin/sh\n");
chmodSync(server, 0o755);
mkdirSync(join(folder, "decoy", "llama-server"), { recursive: true });

describe("the engine that runs", () => {
  it("is ours where there is no other", () => {
    const { kind, command } = engineCommand({ environment: { PATH: join(folder, "decoy") } });
    assert.equal(kind, "binding");
    assert.deepEqual(command, ownCommand());
    assert.deepEqual(engineCommand({ environment: {}, own: ["node", "engine.mjs"] }).command, ["node", "engine.mjs"]);
  });
  it("is the one on PATH", () => {
    assert.deepEqual(engineCommand({ environment: { PATH: `/nope:${folder}` } }), {
      kind: "llama-server",
      command: [server],
      why: `found in PATH: ${server}`,
    });
  });
  it("is the one that was named, which must be there", () => {
    assert.deepEqual(engineCommand({ named: server, environment: {} }).command, [server]);
    assert.deepEqual(engineCommand({ environment: { LLAMA_SERVER: server } }).command, [server]);
    assert.throws(
      () => engineCommand({ named: "/nope/llama-server", environment: {} }),
      /\/nope\/llama-server not found/,
    );
  });
});
