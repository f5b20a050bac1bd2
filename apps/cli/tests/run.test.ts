import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Pod } from "@trivium/kube";
import { HubServer, ownProgram } from "@trivium/testkit";
import { clientOf, temporaryHome, trivium } from "./running.ts";

const [node = "", main = ""] = ownProgram("trivium", new URL("../src/main.ts", import.meta.url));
const demo = join(import.meta.dirname, "../../../examples/models/demo/demo.gguf");
/** Of a quantization that nobody wants: it would be noticed. */
const unwanted = Buffer.alloc(32 * 1024 * 1024, "x");

it("two at once in a new home start one control plane, and both serve", async (t) => {
  const folder = temporaryHome();
  const environment = { TRIVIUM_HOME: join(folder.path, "home"), HOME: folder.path, KUBECONFIG: "" };
  t.after(async () => {
    await trivium(["down"], environment).ended;
    folder.remove();
  });
  const both = ["one", "two"].map((name) => trivium(["run", demo, "--name", name, "--serve"], environment));
  for (const each of both) assert.equal(await each.ended, 0, each.errors());
  const listed = trivium(["get"], environment);
  await listed.ended;
  for (const name of ["one", "two"]) assert.match(listed.output(), new RegExp(`^${name} +.* Ready`, "m"));
});

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

  it("the demo is served by its name, and a file that is no model is named as a file", async () => {
    const { code, output, errors } = await call("run", "demo", "What is Trivium?");
    assert.equal(code, 0, errors);
    assert.match(output, /Trivium/);
    const text = await call("run", import.meta.filename);
    assert.equal(text.code, 1);
    assert.match(text.errors, /^error: \/.*run\.test\.ts is no model: .*; name a GGUF file$/m);
    assert.equal((await call("rm", "demo")).code, 0);
  });

  it("a file is served where it lies, and asked", async () => {
    const { code, output, errors } = await call("run", file, "What is Trivium?");
    assert.equal(code, 0, errors);
    assert.match(output, /Trivium/);
    assert.match(errors, /^model +llama, 2.77M parameters, Q8_0, context 512, 2.9Mi$/m);
    assert.match(errors, /^serving +http:\/\/127.0.0.1:\d+\/v1 \(model demo-model\)$/m);
    assert.equal(existsSync(join(home, "volumes")) && holdsWeights(join(home, "volumes")), false, "nothing was copied");
  });

  it("chat with the service of an API", async () => {
    const asked = await call("chat", "llmkube/demo-model", "What is Trivium?");
    assert.match(asked.output, /^Trivium is /, asked.errors);
    const other = await call("chat", "aim/demo-model", "What is Trivium?");
    const refusal = "error: service demo-model not found in namespace default; trivium get lists the services\n";
    assert.deepEqual([other.code, other.errors], [1, refusal]);
  });

  it("quiet, it prints the answer or the address and nothing else", async () => {
    const asked = await call("--quiet", "run", file, "What is Trivium?");
    assert.deepEqual([asked.code, asked.errors], [0, ""]);
    assert.match(asked.output, /^Trivium is [^\n]*\n$/);
    const served = await call("run", file, "--serve", "-q");
    assert.deepEqual([served.code, served.errors], [0, ""]);
    assert.match(served.output, /^http:\/\/127\.0\.0\.1:\d+\/v1\n$/);
    const piped = await call("run", file, "--serve");
    assert.equal(piped.output, served.output, "a pipe gets the address without -q, too");
    const refused = await call("run", join(folder.path, "missing.gguf"), "-q");
    assert.match(refused.errors, /^error: \S+missing\.gguf: no such file; /);
  });

  it("another file of the same name does not replace it", async () => {
    const other = join(folder.path, "Demo Model.gguf");
    copyFileSync(demo, other);
    const { code, errors } = await call("run", other, "--serve");
    assert.equal(code, 1);
    const served = `file://${file}`;
    const remedy = "choose another name with --name, or remove it with trivium rm demo-model";
    assert.ok(errors.endsWith(`error: InferenceService demo-model already serves ${served}; ${remedy}\n`), errors);
  });

  it("a change is served when its pods have replaced those before", async () => {
    const { code, errors } = await call("run", file, "--context", "1024", "--serve");
    assert.equal(code, 0, errors);
    assert.match(errors, /^warning +--context 1024 exceeds the 512 tokens that the model was trained for$/m);
    const { items } = await (await clientOf(home)).list(Pod, { namespace: "default" });
    const args = items.filter(({ metadata }) => metadata.deletionTimestamp === undefined).map((pod) => pod.spec);
    assert.equal(args.length, 1);
    assert.match(JSON.stringify(args), /"1024"/);
  });

  it("a name that another API uses is refused, and nothing is created", async () => {
    const ome = await call("run", file, "--as", "ome", "--serve");
    assert.equal(ome.code, 1);
    const remedy = "choose another name with --name, or remove it with trivium rm llmkube/demo-model";
    const refusal = `error: InferenceService llmkube/demo-model already uses the name demo-model; ${remedy}\n`;
    assert.ok(ome.errors.endsWith(refusal), ome.errors);
    assert.equal((await call("get", "demo-model", "-o", "json")).output.split('"api"').length, 2);
  });

  it("services of one name are removed one by one", async () => {
    const manifest = join(folder.path, "ome.yaml");
    writeFileSync(manifest, (await call("run", file, "--as", "ome", "--print")).output);
    assert.match((await call("run", manifest, "--serve")).errors, /already used by InferenceService demo-model of/);
    const both = await call("rm", "demo-model");
    assert.deepEqual(
      [both.code, both.errors],
      [1, "error: several objects have the name demo-model; use ome/demo-model or llmkube/demo-model\n"],
    );
    assert.match((await call("rm", "ome/demo-model")).output, /^BaseModel demo-model deleted\n/);
  });

  it("a service that is stopped stays so until it is started", async () => {
    assert.equal((await call("stop", "demo-model")).code, 0);
    const asked = await call("chat", "demo-model", "What is Trivium?");
    assert.equal(asked.code, 1);
    assert.match(asked.errors, /is not ready: it is stopped; start it with trivium start demo-model/);
    assert.equal(
      (await call("start", "demo-model")).output,
      "InferenceService demo-model is starting with 1 replica\n",
    );
    assert.match((await call("chat", "demo-model", "What is Trivium?")).output, /Trivium/);
  });

  it("a name that does not exist gets the nearest one, and no request is sent", async () => {
    const refusal = "error: service demo-modle not found in namespace default; did you mean demo-model?\n";
    for (const words of [
      ["chat", "demo-modle", "hi"],
      ["complete", "demo-modle", "hi"],
      ["bench", "demo-modle"],
    ])
      assert.deepEqual(await call(...words), { code: 1, output: "", errors: refusal });
  });

  it("Ctrl-C ends in one line, and the service goes on", async () => {
    const process = trivium(["run", file, "--name", "late", "--serve"], { ...environment, HF_ENDPOINT: hub.endpoint });
    // The model, its memory, and the first state.
    while (process.errors().split("\n").length <= 3) await sleep(50);
    // As in a terminal: the program gets it, and its launcher passes it on.
    process.process.kill("SIGINT");
    await sleep(20);
    process.process.kill("SIGINT");
    // The second one can meet a process that has all but ended; to a shell both are 130.
    const how = await process.ended;
    assert.ok(how === 130 || how === "SIGINT", `ended with ${how}`);
    assert.match(
      process.errors(),
      /\nstopped; InferenceService late continues to start, and trivium rm late removes it\n$/,
    );
    assert.equal((await call("rm", "late")).code, 0);
  });

  it("get, status and rm", async () => {
    const listed = await call("get");
    assert.match(
      listed.output,
      /^NAME +API +MODEL +PROFILE +REPLICAS +STATUS +AGE +CAUSE\ndemo-model +llmkube +demo-model +llamacpp +1\/1 +Ready +\d+s\n$/,
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
      [1, "error: service demo-model not found in namespace default; trivium get lists the services\n"],
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
    const [empty, text] = [join(folder.path, "empty.gguf"), join(folder.path, "text.gguf")];
    writeFileSync(empty, "");
    writeFileSync(text, "<html>");
    const pipe = join(folder.path, "pipe.gguf");
    assert.equal(spawnSync("mkfifo", [pipe]).status, 0);
    for (const [what, why] of [
      ["./nope.gguf", /^error: \.\/nope\.gguf: no such file; name a GGUF file/],
      [join(import.meta.dirname, "running.ts"), /^error: .*(not a GGUF|is not a valid GGUF|no model)/i],
      [folder.path, /is a folder; name a GGUF file in it/],
      [empty, /^error: .*empty\.gguf is empty; download it again\n$/],
      [text, /^error: .*text\.gguf is not a GGUF file; download a \.gguf file, or /],
      [pipe, /^error: .*pipe\.gguf is not a regular file; name a GGUF file\n$/],
      [broken, /broken.yaml: document 1 is not valid YAML: .* at line 1/],
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
    const whole = await call("run", "hf://org/repo/demo-Q8_0.gguf", "--print", "-q");
    assert.match(whole.output, /source: hf:\/\/org\/repo\/demo-Q8_0.gguf/, whole.errors);
    const lost = await call("run", "org/repo:Q8_0", "--print", "-q", "--as", "aim", "--context", "4096");
    const refusal = "--context 4096 has no place in manifests of aim; leave it out, or choose another API with --as";
    assert.deepEqual([lost.code, lost.errors], [1, `error: ${refusal}\n`]);
  });

  it("down stops it, and says so when there is nothing to stop", async () => {
    assert.match((await call("down")).output, /^stopped process \d+\n$/);
    assert.equal((await call("down")).output, "no control plane runs\n");
    const { code, errors } = await call("chat", "repo", "hello");
    assert.deepEqual(
      [code, errors],
      [
        1,
        "error: no control plane runs on this machine; start it with trivium up -d, or choose a cluster with --kubeconfig\n",
      ],
    );
  });
});

function holdsWeights(folder: string): boolean {
  const { stdout } = spawnSync("find", [folder, "-size", "+1M"], { encoding: "utf8" });
  return stdout !== "";
}
