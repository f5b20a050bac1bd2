import assert from "node:assert/strict";
import { test } from "node:test";
import { machine } from "../../tests/imagined-machine.ts";
import { applyListening } from "./apply-listening.ts";
import type { ImageCall } from "./image-row.ts";
import { knownRows, planImage } from "./image-table.ts";
import { ImageTableError, parseImageRows } from "./user-rows.ts";

test("rows of a user come first, and say how the program is told where to listen", async () => {
  const rows = parseImageRows([
    {
      match: "ghcr.io/acme/*",
      command: ["whisper", "serve"],
      host: "--listen",
      port: { flag: "--at", default: 9000 },
      env: { A: 1 },
    },
    { match: ["redis", "x/y"], command: "my-redis", host: "HOST", port: { env: "PORT" }, workingDir: "/data" },
  ]);
  const on = machine(["whisper", "my-redis", "sh"]);
  const run = (call: Partial<ImageCall> & { image: string }) =>
    planImage(
      [...rows, ...knownRows],
      { command: [], args: [], env: new Map(), secrets: new Set(), accelerators: [], ...call },
      on,
    );
  const whisper = await run({ image: "ghcr.io/acme/w:1", command: ["/entry.sh"], args: ["--fast"] });
  assert.deepEqual(whisper, {
    is: "runs",
    argv: ["/usr/bin/whisper", "serve", "--fast"],
    env: { A: "1" },
    listening: { host: { flags: ["--listen"] }, port: { flags: ["--at"], usual: 9000 } },
  });
  const redis = await run({ image: "redis:7" });
  assert.deepEqual(redis.is === "runs" && [redis.argv, redis.workingDir], [["/usr/bin/my-redis"], "/data"]);
  const script = await run({ image: "x/y", command: ["sh", "-c", "a; b"] });
  assert.deepEqual(script.is === "runs" && script.argv, ["/usr/bin/sh", "-c", "a; b"]);
});

test("a table that is wrong says where", () => {
  assert.deepEqual(parseImageRows(undefined), []);
  assert.throws(() => parseImageRows({}), new ImageTableError(["images: expected a list"]));
  assert.throws(
    () => parseImageRows([{ match: "x", command: ["y"], hosts: 1 }, { command: [1], port: {} }, 7]),
    (error) => {
      assert.ok(error instanceof ImageTableError);
      assert.deepEqual(error.faults, [
        "images[0].hosts: unknown (known: match, command, host, port, env, workingDir)",
        "images[1].match: expected a pattern such as ghcr.io/acme/*",
        "images[1].command: expected a program and its arguments, as a list",
        "images[1].port: expected a flag (--host) or a variable (HOST)",
        "images[2]: expected match and command",
        "images[2].match: expected a pattern such as ghcr.io/acme/*",
        "images[2].command: expected a program and its arguments, as a list",
      ]);
      return true;
    },
  );
});

test("programs are told the pod's address, and another port only where they cannot have theirs", () => {
  const listening = { host: { flags: ["--host", "-H"] }, port: { flags: ["--port"], env: "PORT", usual: 8080 } };
  const tell = (argv: string[], env: Record<string, string> = {}, moved: Record<number, number> = {}) =>
    applyListening({ argv, env, listening, address: "127.77.0.2", portFor: (port) => moved[port] ?? port });
  assert.deepEqual(tell(["x"]).argv, ["x", "--host", "127.77.0.2"]);
  assert.deepEqual(tell(["x", "-H", "0.0.0.0", "--port=9"]).argv, ["x", "-H", "127.77.0.2", "--port=9"]);
  assert.deepEqual(tell(["x", "--host=0.0.0.0"], {}, { 8080: 4 }), {
    argv: ["x", "--host=127.77.0.2", "--port", "4"],
    env: { PORT: "4" },
  });
  assert.deepEqual(tell(["x", "--port", "9", "--host", "::"], {}, { 9: 4, 8080: 5 }).argv, [
    "x",
    "--port",
    "4",
    "--host",
    "127.77.0.2",
  ]);
  assert.deepEqual(tell(["x"], { PORT: "9" }, { 9: 4 }).env, { PORT: "4" });
  assert.deepEqual(tell(["x", "--port", "many"]).argv, ["x", "--port", "many", "--host", "127.77.0.2"]);
  const onHost = applyListening({ argv: ["x"], env: {}, listening, address: undefined, portFor: (port) => port });
  assert.deepEqual(onHost.argv, ["x"]);
});
