import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { after, before, describe, it } from "node:test";

const root = join(import.meta.dirname, "../../..");
const minutes = 60_000;

/** Whether npm can fetch what the package needs: a machine without a registry cannot install anything. */
const npm = spawnSync("npm", ["ping", "--fetch-retries=0"], { encoding: "utf8", timeout: minutes, cwd: tmpdir() });
const skip = npm.status !== 0 && "npm or its registry is not available";

describe("the npm package, on a machine without the repository", { skip }, () => {
  const folder = mkdtempSync(join(tmpdir(), "trivium-package-"));
  const installed = join(folder, "prefix/lib/node_modules/trivium");
  const environment = {
    HOME: folder,
    TRIVIUM_HOME: join(folder, "home"),
    PATH: [join(folder, "prefix/bin"), dirname(process.execPath), process.env.PATH].join(delimiter),
  };

  function call(program: string, args: readonly string[], { env = environment, cwd = folder } = {}): Promise<Result> {
    return new Promise((resolve, reject) => {
      const child = spawn(program, args, { cwd, env, timeout: 5 * minutes, stdio: ["ignore", "pipe", "pipe"] });
      const result = { code: null as number | null, output: "", errors: "" };
      child.stdout.on("data", (text) => {
        result.output += text;
      });
      child.stderr.on("data", (text) => {
        result.errors += text;
      });
      child.on("error", reject);
      child.on("close", (code) => resolve({ ...result, code }));
    });
  }

  before(async () => {
    const outside = process.env as typeof environment;
    const packed = await call(process.execPath, ["scripts/pack.ts", folder], { env: outside, cwd: root });
    assert.equal(packed.code, 0, packed.errors);
    const tarball = readdirSync(folder).find((name) => name.endsWith(".tgz")) ?? "";
    assert.ok(statSync(join(folder, tarball)).size < 10e6, "the package is small: no C++ sources, no maps");
    const args = ["install", "--global", "--prefix", join(folder, "prefix"), "--prefer-offline", `./${tarball}`];
    const done = await call("npm", args, { env: outside });
    assert.equal(done.code, 0, done.errors);
  });
  after(async () => {
    await call("trivium", ["down"]);
    rmSync(folder, { recursive: true, force: true });
  });

  it("has what it runs, and not what it could be built from", () => {
    assert.ok(existsSync(join(installed, "node_modules/@fugood/llama.node/lib/index.js")));
    assert.ok(!existsSync(join(installed, "node_modules/@fugood/llama.node/src")));
    assert.deepEqual(
      readdirSync(join(installed, "dist")).filter((name) => name.endsWith(".map")),
      [],
    );
    assert.ok(readdirSync(join(installed, "licenses")).includes("undici"), "licences of what is bundled");
    assert.ok(existsSync(join(installed, "dist/dashboard/index.html")), "the pages of the dashboard");
  });

  it("trivium run serves a file and answers", async () => {
    const demo = join(installed, "examples/models/demo/demo.gguf");
    const { code, output, errors } = await call("trivium", ["run", demo, "What is Trivium?"]);
    assert.equal(code, 0, errors);
    assert.match(output, /Trivium is/);
    const listed = await call("trivium", ["get"]);
    assert.match(listed.output, /^demo +llmkube +demo +llamacpp +1\/1 +Ready/m);
  });

  it("is a plug-in of kubectl under its name", async () => {
    const { code, output } = await call("kubectl-trivium", ["--help"]);
    assert.equal(code, 0);
    assert.match(output, /^Usage: kubectl trivium /);
  });
});

interface Result {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}
