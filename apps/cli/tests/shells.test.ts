import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { after, describe, it } from "node:test";
import { debianPackages, programOf } from "@trivium/testkit";
import { completionScript } from "../src/completion/scripts.ts";
import { createProgram } from "../src/program.ts";

const shells = await debianPackages("fish", "zsh");
const skip = shells.is === "missing" && shells.why;

describe("completion in the shells themselves", { skip }, () => {
  const folder = mkdtempSync(join(tmpdir(), "trivium-shells-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const { root, environment } = shells.is === "missing" ? { root: "", environment: {} } : shells;
  // In place of the program: completion asks it for the services.
  const program = join(folder, "trivium");
  writeFileSync(program, `#!/bin/sh\nprintf '[\\n  {\\n    "name": "my-chat",\\n  }\\n]\\n'\n`);
  chmodSync(program, 0o755);
  for (const shell of ["fish", "zsh"] as const)
    writeFileSync(join(folder, `completion.${shell}`), completionScript(shell, createProgram()));

  function run(shell: "fish" | "zsh", args: readonly string[]): string {
    const env = {
      ...{ HOME: folder, TERM: "dumb", ...environment },
      PATH: [folder, process.env.PATH].join(delimiter),
    };
    const path = shells.is === "missing" ? "" : programOf(shells, shell);
    const { stdout, stderr, status } = spawnSync(path, args, { env, cwd: folder, encoding: "utf8", timeout: 120_000 });
    assert.equal(status, 0, stderr + stdout);
    return stdout;
  }

  it("fish proposes commands, options, values and services", () => {
    const propose = (line: string): string[] => {
      // Where fish is installed, its functions are the machine's.
      const functions = `'${root}/usr/share/fish/functions' /usr/share/fish/functions`;
      const setUp = `set fish_function_path ${functions}; source completion.fish`;
      const output = run("fish", ["--no-config", "-c", `${setUp}; complete -C '${line}'`]);
      return output
        .trim()
        .split("\n")
        .map((proposal) => proposal.split("\t")[0] ?? "");
    };
    assert.deepEqual(propose("trivium expl"), ["explain"]);
    assert.deepEqual(propose("trivium logs my"), ["my-chat"]);
    assert.deepEqual(propose("trivium models pr"), ["prune"]);
    assert.deepEqual(propose("trivium run x.gguf --ser"), ["--serve"]);
    assert.deepEqual(propose("trivium get -o "), ["json", "table", "wide", "yaml"]);
    assert.ok(!propose("trivium models rm ").includes("my-chat"), "weights are no services");
  });

  it("zsh completes them as they are typed", () => {
    const modules = `module_path=('${root}'/usr/lib/*/zsh/*(/N))`;
    const functions = `fpath=('${root}'/usr/share/zsh/functions/**/*(/N))`;
    const start = `${modules}\n${functions}\nzmodload zsh/zle; setopt zle\nautoload -U compinit && compinit -u -D`;
    writeFileSync(join(folder, "start.zsh"), `${start}\nsource completion.zsh\nprint -r -- rea""dy\n`);
    const typed = [
      ["expl", "explain"],
      ["logs my", "logs my-chat"],
      ["get -o wi", "get -o wide"],
      ["run x.gguf --ser", "run x.gguf --serve"],
    ];
    // Waits until the terminal shows the whole line; `Ctrl-U` empties it for the next.
    const lines = typed.map(
      ([some, whole]) =>
        `zpty -w -n z "trivium ${some}"$'\\t'; zpty -r z seen '*trivium ${whole}*'; zpty -w -n z $'\\x15'`,
    );
    const zsh = shells.is === "missing" ? "" : programOf(shells, "zsh");
    const open = `zmodload zsh/zpty; zpty z '${zsh} -f -i'; zpty -w z 'source start.zsh'; zpty -r z seen '*ready*'`;
    writeFileSync(join(folder, "type.zsh"), `${modules}\n${open}\n${lines.join("\n")}\nprint all\n`);
    assert.match(run("zsh", ["-f", "type.zsh"]), /all/);
  });
});
