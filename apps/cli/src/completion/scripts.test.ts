import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { createProgram } from "../program.ts";
import { completionScript } from "./scripts.ts";

/** What bash proposes for the words of a line. */
function proposed(...words: string[]): string[] {
  const quoted = words.map((word) => `'${word}'`).join(" ");
  const script = `${completionScript("bash", createProgram())}
trivium() { printf '[\\n  {\\n    "name": "my-chat",\\n  }\\n]\\n'; }
COMP_WORDS=(trivium ${quoted}); COMP_CWORD=${words.length}; _trivium; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, status, stderr } = spawnSync("bash", ["--norc", "-c", script], { encoding: "utf8" });
  assert.equal(status, 0, stderr);
  return stdout.trim().split("\n");
}

test("bash completes commands, options, and services", () => {
  assert.deepEqual(proposed("expl"), ["explain"]);
  assert.ok(proposed("run", "--con").includes("--context"));
  assert.deepEqual(proposed("service", "inst"), ["install"]);
  for (const command of ["logs", "explain", "get", "chat"])
    assert.deepEqual(proposed(command, "my"), ["my-chat"], command);
});

test("bash completes options behind arguments, and the values of an option", () => {
  assert.deepEqual(proposed("run", "model.gguf", "--ser"), ["--serve"]);
  assert.deepEqual(proposed("logs", "my-chat", "--fol"), ["--follow"]);
  assert.deepEqual(proposed("models", "r"), ["rm"]);
  assert.deepEqual(proposed("get", "-o", ""), ["table", "wide", "json", "yaml"]);
  assert.deepEqual(proposed("convert", "-f", "chat.yaml", "--to", "o"), ["ome"]);
});

test("zsh completes by the same function, which leaves its special variables alone", () => {
  const script = completionScript("zsh", createProgram());
  assert.match(script, /^autoload -U \+X bashcompinit && bashcompinit\n_trivium\(\) \{/);
  assert.doesNotMatch(script, /\b(path|fpath|status|argv|options)=/);
});

test("fish gets a line for each command and option, quoted", () => {
  const script = completionScript("fish", createProgram());
  assert.match(script, /^complete -c trivium -f -n '__fish_use_subcommand' -a explain -d '.+'$/m);
  assert.match(
    script,
    /-n '__fish_seen_subcommand_from run; and not __fish_seen_subcommand_from models engine service' -l context -r -d/,
  );
  assert.doesNotMatch(script, /\n[^c]/);
});
