import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { HubServer, ownProgram } from "@trivium/testkit";
import { temporaryHome, trivium } from "./running.ts";

const [node = "", main = ""] = ownProgram("trivium", new URL("../src/main.ts", import.meta.url));
const demo = join(import.meta.dirname, "../../../examples/models/demo/demo.gguf");
/** Of a quantization that nobody wants: it would be noticed. */
const unwanted = Buffer.alloc(32 * 1024 * 1024, "x");

describe("from a model to an answer with one command", () => {
  const folder = temporaryHome();
  const home = join(folder.path, "home");
  const file = join(folder.path, "My Downloads", "Demo Model.gguf");
  const environment = { TRIVIUM_HOME: home, HF_TOKEN: "hf_good", HOME: folder.path, KUBECONFIG: "" };
  let hub: HubServer;

  async function call(...args: string[]): Promise<{ code: number | string; output: string; errors: string }> {
    const process = trivium(args, { ...environment, HF_ENDPOINT: hub.endpoint });
    const code = await process.ended;
    return { code, output: process.output(), errors: process.errors() };
  }

  before(async () => {
    mkdirSync(join(folder.path, "My Downloads"));
    copyFileSync(demo, file);
    hub = await new HubServer().listen();
    hub.access = "private";
    hub.files.set("demo-Q8_0.gguf", { content: readFileSync(demo), isLarge: true });
    hub.files.set("demo-Q2_K.gguf", { content: unwanted, isLarge: true });
  });

  after(async () => {
    await call("down");
    await hub.close();
    folder.remove();
  });

  it("a file is served where it lies, and asked", async () => {
    const { code, output, errors } = await call("run", file, "What is Trivium?");
    assert.equal(code, 0, errors);
    assert.match(output, /Trivium/);
    assert.match(errors, /^model +llama, 2.77M parameters, Q8_0, context 512, 2.9Mi$/m);
    assert.match(errors, /^serving +http:\/\/127.0.0.1:\d+\/v1 \(model demo-model\)$/m);
    assert.equal(existsSync(join(home, "volumes")) && holdsWeights(join(home, "volumes")), false, "nothing was copied");
  });

  it("get, status and rm", async () => {
    const listed = await call("get");
    assert.match(
      listed.output,
      /^NAME +API +MODEL +STATUS +AGE +CAUSE\ndemo-model +llmkube +demo-model +Ready +\d+s\n$/,
    );
    const status = await call("status");
    assert.match(status.output, /^control plane +https:\/\/127.0.0.1:\d+, process \d+, since /);
    assert.match(
      (await call("rm", "demo-model")).output,
      /^Model demo-model deleted\nInferenceService demo-model deleted\n$/,
    );
    const again = await call("rm", "demo-model");
    assert.deepEqual(
      [again.code, again.errors],
      [1, "error: demo-model not found in namespace default; trivium get lists the services\n"],
    );
  });

  it("a private repository is downloaded with the token of the shell, one quantization of it", async () => {
    const wrong = await call("run", "org/repo:Q5_K_M", "--serve");
    assert.equal(wrong.errors, "error: org/repo has no Q5_K_M; choose one of Q8_0, Q2_K\n");
    const { code, errors } = await call("run", "org/repo:Q8_0", "--serve");
    assert.equal(code, 0, errors);
    assert.match(errors, /^download +2.9Mi, .* free on the disk$/m);
    assert.ok(!errors.includes("hf_good"));
    const { output } = await call("chat", "repo", "What is Trivium?");
    assert.match(output, /Trivium/);
    assert.ok(hub.served < unwanted.length, "the other one was not fetched");
  });

  it("a conversation on a terminal", {
    skip: spawnSync("script", ["--version"]).status !== 0 && "script is not installed",
  }, async (t) => {
    const command = `'${node}' '${main}' chat repo`;
    const child = spawn("script", ["-qec", command, "/dev/null"], {
      env: { ...process.env, ...environment, TERM: "xterm" },
      stdio: ["pipe", "pipe", "ignore"],
    });
    t.after(() => child.kill());
    let screen = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      screen += text;
    });
    const ended = new Promise((resolve) => child.on("close", resolve));
    const sees = async (pattern: RegExp): Promise<void> => {
      for (let left = 600; !pattern.test(screen); left -= 1) {
        assert.ok(left > 0, screen);
        await sleep(100);
      }
    };
    await sees(/>>> /);
    child.stdin.write("What is Trivium?\n");
    await sees(/\d+ tokens/);
    child.stdin.write("/nonsense\n");
    await sees(/unknown command \/nonsense; \/help lists them/);
    child.stdin.write("/bye\n");
    assert.equal(await ended, 0, screen);
    assert.match(screen, /Trivium is/);
  });

  it("what cannot be served is refused in one line", async () => {
    const broken = join(folder.path, "broken.yaml");
    writeFileSync(broken, "a: [");
    for (const [what, why] of [
      ["./nope.gguf", /^error: \.\/nope\.gguf: no such file; name a GGUF file/],
      [join(import.meta.dirname, "running.ts"), /^error: .*(not a GGUF|is not a valid GGUF|no model)/i],
      [folder.path, /is a folder; name a GGUF file in it/],
      [broken, /broken.yaml is not valid YAML: .* at line 1/],
    ] as const) {
      const { code, errors } = await call("run", what, "--serve");
      assert.equal(code, 1);
      assert.match(errors, why);
    }
  });

  it("print shows the manifests of each API and changes nothing", async () => {
    const { output } = await call("run", "org/repo:Q8_0", "--print");
    assert.match(output, /source: hf:\/\/org\/repo\/demo-Q8_0.gguf/);
    const ome = await call("run", file, "--print", "--as", "ome");
    assert.match(ome.output, /storageUri: local:\/\/.*Demo Model.gguf/);
  });

  it("down stops it, and says so when there is nothing to stop", async () => {
    assert.match((await call("down")).output, /^stopped process \d+\n$/);
    assert.equal((await call("down")).output, "no control plane runs\n");
    const { code, errors } = await call("chat", "repo", "hello");
    assert.deepEqual(
      [code, errors],
      [1, "error: no control plane runs on this machine; start one with trivium up, or use trivium run\n"],
    );
  });
});

function holdsWeights(folder: string): boolean {
  const { stdout } = spawnSync("find", [folder, "-size", "+1M"], { encoding: "utf8" });
  return stdout !== "";
}
