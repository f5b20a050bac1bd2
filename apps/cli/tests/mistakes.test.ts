import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { ownProgram } from "@trivium/testkit";
import { temporaryHome, trivium } from "./running.ts";

/** Each answer is one line that names what is wrong and what to do. */
describe("mistakes on the command line", () => {
  const folder = temporaryHome();
  const home = join(folder.path, "home");
  const environment = { TRIVIUM_HOME: home, HOME: folder.path, KUBECONFIG: "" };

  async function call(...args: string[]): Promise<{ code: number | string; output: string; errors: string }> {
    const process = trivium(args, environment);
    const code = await process.ended;
    return { code, output: process.output(), errors: process.errors() };
  }

  function write(name: string, text: string): string {
    const path = join(folder.path, name);
    writeFileSync(path, text);
    return path;
  }

  function kubeconfig(name: string, port: number): string {
    return write(
      name,
      `apiVersion: v1
kind: Config
current-context: lab
contexts: [{ name: lab, context: { cluster: lab } }]
clusters: [{ name: lab, cluster: { server: "http://127.0.0.1:${port}" } }]
`,
    );
  }

  after(() => folder.remove());

  it("a control plane that does not run is started with trivium up -d", async () => {
    for (const name of ["identity", "data"]) mkdirSync(join(home, name), { recursive: true });
    kubeconfig("home/kubeconfig", 1);
    const refusal = "error: no control plane responds at http://127.0.0.1:1; start it with trivium up -d\n";
    for (const words of [["get"], ["explain", "aimservice/chat"], ["get", "--home", home]])
      assert.deepEqual(await call(...words), { code: 1, output: "", errors: refusal });
  });

  it("a home where nothing can be created is named, and the start ends", {
    skip: process.platform !== "linux" && "needs /proc",
  }, async () => {
    const nowhere = { HOME: "/proc/x", TRIVIUM_HOME: "", XDG_CACHE_HOME: "" };
    const started = trivium(["up", "-d"], nowhere);
    assert.equal(await started.ended, 1);
    const remedy = "choose another folder with --home or TRIVIUM_HOME";
    assert.match(started.errors(), new RegExp(`^error: cannot write to /proc/x/\\.trivium \\(ENOENT\\); ${remedy}\n$`));
  });

  it("a cluster that does not respond is named with its context and kubeconfig", async () => {
    const file = kubeconfig("lab.yaml", 2);
    for (const words of [["get"], ["explain", "aimservice/chat"]]) {
      const { errors } = await call(...words, "--kubeconfig", file);
      const why = "connect ECONNREFUSED 127.0.0.1:2";
      const remedy = `check context lab of kubeconfig ${file}, or choose another with --kubeconfig`;
      assert.equal(errors, `error: no cluster responds at http://127.0.0.1:2 (${why}); ${remedy}\n`);
    }
    const nowhere = join(folder.path, "nowhere");
    const { errors } = await call("get", "--home", nowhere);
    assert.equal(
      errors,
      `error: no control plane has run in ${nowhere}; start it with trivium up -d --home ${nowhere}\n`,
    );
  });

  it("manifests that cannot be read", async () => {
    const prose = write("prose.md", "# Title\n\nsome: text: with colons\n");
    for (const [path, why] of [
      [join(folder.path, "nothere.yaml"), /^error: cannot read .*nothere\.yaml: file not found\n$/],
      [folder.path, /^error: cannot read .*: it is a folder; name a file in it\n$/],
      [prose, /^error: .*prose\.md: document 1 is not valid YAML: .* at line 3, column \d+\n$/],
    ] as const)
      assert.match((await call("plan", "-f", path)).errors, why);
  });

  it("an error is one line that names the nearest word and the help of the command that was called", async () => {
    for (const [words, line] of [
      [["nonsense"], "unknown command 'nonsense'; see trivium --help"],
      [["stat"], "unknown command 'stat' (Did you mean status?); see trivium --help"],
      [["help", "models", "verfy"], "unknown command 'verfy' (Did you mean verify?); see trivium models --help"],
      [["logs", "x", "--folow"], "unknown option '--folow' (Did you mean --follow?); see trivium logs --help"],
      [["convert"], "required option '-f, --filename <file>' not specified; see trivium convert --help"],
    ] as const)
      assert.deepEqual(await call(...words), { code: 1, output: "", errors: `error: ${line}\n` });
    assert.match((await call("engine", "add", "nonsense")).errors, /^error: [^\n]+; see trivium engine add --help\n$/);
  });

  it("programs inside of a command report as every other command does", async () => {
    for (const [words, line] of [
      [["bench"], "no server to measure; name a service, or set --url, such as http://127.0.0.1:8080"],
      [["models", "pull", "nonsense"], /^nonsense: not a valid model URI; expected org\/repo/],
    ] as const) {
      const { code, errors } = await call(...words);
      assert.equal(code, 2);
      if (typeof line === "string") assert.equal(errors, `error: ${line}\n`);
      else assert.match(errors.replace("error: ", ""), line);
    }
  });

  it("what the system refuses is named, with what to do", {
    skip: process.platform !== "linux" && "needs /dev/full",
  }, () => {
    const [node = "", main = ""] = ownProgram("trivium", new URL("../src/main.ts", import.meta.url));
    const bash = (script: string): string => {
      const env = { ...process.env, ...environment, NODE: node, MAIN: main };
      const { stdout, stderr } = spawnSync("bash", ["-c", script], { env, cwd: folder.path, encoding: "utf8" });
      return stdout + stderr;
    };
    for (const [script, line] of [
      ['"$NODE" "$MAIN" version > /dev/full', /^cannot write the output: ENOSPC: .*; free some space on the disk$/],
      ['"$NODE" "$MAIN" plan -f - < /dev/null', /^standard input has no objects$/],
      [
        'mkdir gone; cd gone; rmdir ../gone; "$NODE" "$MAIN" run x.gguf',
        /^the current folder no longer exists; change to/,
      ],
    ] as const) {
      const [first = "", ...more] = bash(script).split("\n");
      assert.match(first.replace("error: ", ""), line);
      assert.deepEqual(more, [""], script);
    }
  });

  it("help of a command of a command", async () => {
    const { code, output } = await call("help", "models", "pull");
    assert.deepEqual([code, output], [0, (await call("models", "pull", "--help")).output]);
  });
});
