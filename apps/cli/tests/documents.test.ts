import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { type CommandUse, codeBlocks, commandUse, isRunPage } from "../../../scripts/command-blocks.ts";
import { ensureBuilt, programFlags } from "../../../scripts/toolchain.mjs";
import { Machine, missingKubectl } from "./serving/machine.ts";

const skip = await missingKubectl();
const root = join(import.meta.dirname, "../../..");
const minutes = 60_000;

const pages = globSync("{README.md,docs/**/*.md}", { cwd: root }).filter(isRunPage).sort();

/** The commands of one page as one session, each block announced so that a failure names its line. */
function session(path: string, use: CommandUse): string {
  const blocks = codeBlocks(readFileSync(join(root, path), "utf8"));
  return blocks
    .filter((block) => block.language === "bash" && commandUse(block) === use)
    .map((block) => `echo "--- ${path}:${block.line}"\n${block.text}\n`)
    .join("");
}

/** Texts that the output of a page's commands must have: `<!-- expect: "role":"assistant" -->` in the page. */
const expectations = (path: string): string[] =>
  [...readFileSync(join(root, path), "utf8").matchAll(/<!-- expect: (.*) -->/g)].map(([, text = ""]) => text);

describe("the commands of the documentation, as a reader types them", { skip, concurrency: 2 }, () => {
  const machine = new Machine();
  let person = "";

  before(async () => {
    person = mkdtempSync(join(tmpdir(), "trivium-reader-"));
    symlinkSync(machine.home, join(person, ".trivium"));
    mkdirSync(join(person, "bin"));
    const program = [process.execPath, ...programFlags, ensureBuilt()].map((word) => `'${word}'`).join(" ");
    writeFileSync(join(person, "bin/trivium"), `#!/bin/sh\nexec ${program} "$@"\n`, { mode: 0o755 });
    for (const page of pages) await run(session(page, "setup"));
    // A page that names a model hub reaches no further than this machine.
    await machine.up({ HF_ENDPOINT: "http://127.0.0.1:9" });
    await machine.kubectl("apply", "-f", join(root, "examples/llmkube/demo.yaml"));
  });
  after(async () => {
    await machine.remove();
    if (person !== "") rmSync(person, { recursive: true, force: true });
  });

  /** Pages name the default ports; the machine of a test has others. */
  function run(script: string): Promise<string> {
    if (script === "") return Promise.resolve("");
    const here = script
      .replaceAll("http://127.0.0.1:8080", machine.gateway)
      .replaceAll("127.0.0.1:8090", () => `127.0.0.1:${machine.record().ports.metrics}`);
    const env = { ...process.env, HOME: person, PATH: `${join(person, "bin")}${delimiter}${process.env.PATH}` };
    return new Promise((resolve, reject) => {
      const child = spawn("bash", ["--norc", "-euo", "pipefail", "-c", here], { cwd: root, env, timeout: 5 * minutes });
      let output = "";
      const collect = (chunk: Buffer): void => {
        output += chunk.toString();
      };
      child.stdout.on("data", collect);
      child.stderr.on("data", collect);
      child.on("close", (code, signal) =>
        code === 0
          ? resolve(output)
          : reject(new Error(`the session ended with ${code ?? signal}:\n${output.slice(-4000)}`)),
      );
    });
  }

  const sessions = pages.map((page) => [page, session(page, "run")] as const).filter(([, script]) => script !== "");
  it("there are some", () => assert.ok(sessions.some(([page]) => page === "README.md")));
  for (const [page, script] of sessions)
    it(page, async () => {
      const output = await run(script);
      for (const text of expectations(page)) assert.ok(output.includes(text), `${text} is not in:\n${output}`);
    });
});
