import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, describe, it, test } from "node:test";
import { HubServer, ownProgram, until } from "@trivium/testkit";
import { temporaryHome, trivium } from "./running.ts";
import { ctrlC, ctrlD, drawnLines, hasControls, openTerminal, withoutTerminal } from "./terminal.ts";

const root = join(import.meta.dirname, "../../..");
const demo = join(root, "examples/models/demo/demo.gguf");

describe("a download on a terminal", { skip: withoutTerminal }, () => {
  const folder = temporaryHome();
  const manifest = join(folder.path, "slow.yaml");
  let hub: HubServer;
  let env: Record<string, string> = {};

  before(async () => {
    hub = await new HubServer().listen();
    // The download stops in the middle of what follows the model.
    const content = Buffer.concat([readFileSync(demo), Buffer.alloc(48 * 1024 * 1024)]);
    hub.files.set("demo-Q8_0.gguf", { content, isLarge: true });
    hub.stopAfter = 16 * 1024 * 1024;
    env = { TRIVIUM_HOME: join(folder.path, "home"), HOME: folder.path, KUBECONFIG: "", HF_ENDPOINT: hub.endpoint };
    const printed = trivium(["run", "org/repo", "--name", "slow", "--print"], env);
    assert.equal(await printed.ended, 0, printed.errors());
    writeFileSync(manifest, printed.output());
  });

  after(async () => {
    await trivium(["down"], env).ended;
    await hub.close();
    folder.remove();
  });

  it("has a bar that is drawn again for each width and never wraps; Ctrl-C ends it and keeps the service", async (t) => {
    const terminal = openTerminal(["run", "org/repo", "--name", "slow"], { env, columns: 100 });
    t.after(() => terminal.close());
    await hub.untilStopped();
    await terminal.shows(/downloading \[=+ +\] [\d.]+Mi of 5\d\.\dMi \(\d+%\)/);
    // Narrow ones have no space for a bar.
    for (const [columns, form] of [
      [90, /^downloading \[/],
      [40, /^downloading \d/],
      [120, /^downloading \[/],
    ] as const) {
      terminal.clear();
      terminal.resize(columns);
      await terminal.shows(/<ESC>\[[KJ]downloading /);
      const drawn = (): string => drawnLines(terminal.output()).at(-1) ?? "";
      await until(() => form.test(drawn()) && drawn().length < columns, `a line for ${columns} columns: ${drawn()}`);
    }
    const widths = drawnLines(terminal.output()).map(({ length }) => length);
    assert.ok(Math.max(...widths) < 120, `${Math.max(...widths)}`);
    assert.match(terminal.output(), /<ESC>\[2mmodel/, "colours on a terminal");
    terminal.type(ctrlC);
    assert.equal(await terminal.ended, 130, terminal.output());
    assert.match(
      terminal.output(),
      /\r?\nstopped; InferenceService slow continues to start, and trivium rm slow removes it\r\n$/,
    );
    const listed = trivium(["get"], env);
    await listed.ended;
    assert.match(listed.output(), /^slow +llmkube /m);
  });

  it("has no colours with NO_COLOR, and still rewrites its line", async (t) => {
    const words = ["run", demo, "--name", "plain", "--serve"];
    const terminal = openTerminal(words, { env: { ...env, NO_COLOR: "1" }, columns: 80 });
    t.after(() => terminal.close());
    assert.equal(await terminal.ended, 0, terminal.output());
    assert.match(terminal.output(), /^model {5}llama, /m);
    assert.match(terminal.output(), /\r<ESC>\[K/);
    assert.doesNotMatch(terminal.output(), /<ESC>\[\d*m/);
  });

  it("is a line for each state in a pipe, without control sequences", async () => {
    const piped = trivium(["run", manifest], env);
    await until(() => piped.errors().includes("downloading"));
    piped.process.kill("SIGINT");
    assert.equal(await piped.ended, 130);
    assert.ok(!hasControls(piped.errors() + piped.output()));
    const removed = trivium(["rm", "slow"], env);
    assert.equal(await removed.ended, 0, removed.errors());
  });
});

describe("a conversation on a terminal", { skip: withoutTerminal }, () => {
  let server: Server;
  let [open, asked] = [0, 0];

  /** A model that never comes to an end. */
  before(async () => {
    server = createServer((request, response) => {
      request.resume();
      asked += 1;
      open += 1;
      response.writeHead(200, { "content-type": "text/event-stream" });
      const timer = setInterval(
        () => response.write(`data: ${JSON.stringify({ choices: [{ delta: { content: "more " } }] })}\n\n`),
        20,
      );
      response.on("close", () => {
        open -= 1;
        clearInterval(timer);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  });

  after(() => {
    server.closeAllConnections();
    server.close();
  });

  it("Ctrl-C stops the answer, at the prompt it drops what was typed, and Ctrl-D ends", async (t) => {
    const gateway = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const terminal = openTerminal(["chat", "endless", "--gateway", gateway], { env: { KUBECONFIG: "" }, columns: 80 });
    t.after(() => terminal.close());
    await terminal.shows(/>>> /);
    for (const question of ["first", "second"]) {
      terminal.clear();
      terminal.type(`${question}\r`);
      await terminal.shows(/more more more /);
      terminal.type(ctrlC);
      await terminal.shows(/\d+ tokens.*, stopped.*>>> /s);
      await until(() => open === 0, "the request is aborted");
    }
    for (const [command, answer] of [
      ["/system be brief", /new conversation with this system prompt.*>>> /s],
      ["/clear", /new conversation.*>>> /s],
    ] as const) {
      terminal.clear();
      terminal.type(`${command}\r`);
      await terminal.shows(answer);
    }
    terminal.clear();
    terminal.type(`unfinished${ctrlC}`);
    await terminal.shows(/Ctrl-D or \/bye ends.*>>> /s);
    terminal.type(ctrlD);
    assert.equal(await terminal.ended, 0, terminal.output());
    assert.equal(asked, 2, "what was dropped is not asked");
  });
});

describe("pipes", () => {
  const [node = "", main = ""] = ownProgram("trivium", new URL("../src/main.ts", import.meta.url));
  const bash = (script: string) =>
    new Promise<{ code: unknown; output: string; errors: string }>((resolve) => {
      const options = { env: { ...process.env, NODE: node, MAIN: main, ROOT: root } };
      execFile("bash", ["-c", script], options, (error, output, errors) =>
        resolve({ code: error === null ? 0 : error.code, output, errors }),
      );
    });

  for (const command of [
    "crds",
    "manifests --image-registry r.example/x",
    "completion bash",
    "--help",
    'convert -f "$ROOT/examples/llmkube/demo.yaml" --to ome 2>&1',
  ])
    test(`a reader that stops early is no failure: ${command}`, async () => {
      const { code, errors } = await bash(
        `"$NODE" "$MAIN" ${command} | head -n 1 > /dev/null; exit "\${PIPESTATUS[0]}"`,
      );
      assert.deepEqual([code, errors], [0, ""]);
    });

  for (const words of [["--help"], ["doctor", "--no-outside"], ["models", "ls"], ["status"], ["version"]])
    test(`no control sequences in a pipe: ${words.join(" ")}`, async (t) => {
      const folder = temporaryHome();
      t.after(() => folder.remove());
      const env = { HOME: folder.path, TRIVIUM_HOME: folder.path, KUBECONFIG: "", FORCE_COLOR: "1" };
      const done = trivium(words, env);
      await done.ended;
      assert.ok(done.output() + done.errors() !== "");
      assert.ok(!hasControls(done.output() + done.errors()));
    });
});
