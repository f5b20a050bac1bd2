import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { parse, stringify } from "yaml";
import { ensureBuilt } from "../../../../scripts/toolchain.mjs";
import { namespace } from "./world.ts";

const root = join(import.meta.dirname, "../../../..");
// A hundred processes: those of the bundle start in a fraction of the time.
const [node, main] = [process.execPath, ensureBuilt()];

/** The files that a session works with, and what a person types. Every command is there, with a mistake that people make. */
const sessions = {
  commands: readSession("commands"),
  conversation: readSession("conversation"),
};

export type Session = keyof typeof sessions;

/** All lines that a person types, in any session. */
export const typedCommands: readonly string[] = Object.values(sessions).flat();

function readSession(name: string): readonly string[] {
  const lines = readFileSync(join(import.meta.dirname, `${name}.session`), "utf8").split("\n");
  return lines.filter((line) => line !== "" && !line.startsWith("#"));
}

/** The session as text: command, output, errors, exit code. What belongs to this run is replaced. */
export async function recordTranscript(session: Session, kubeconfig: string): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), "trivium-transcript-"));
  try {
    writeFileSync(join(home, "kubeconfig.yaml"), inNamespace(readFileSync(kubeconfig, "utf8")));
    const entries: string[] = [];
    for (const command of sessions[session]) entries.push(await record(command, home));
    return withoutThisRun(entries.join("\n"), home);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** As `kubectl config set-context --current --namespace` leaves it. */
function inNamespace(kubeconfig: string): string {
  const config = parse(kubeconfig) as { contexts: { context: object }[] };
  const contexts = config.contexts.map((one) => ({ ...one, context: { ...one.context, namespace } }));
  return stringify({ ...config, contexts });
}

/** In a shell, so that pipes and quotes are those of a person. */
async function record(command: string, home: string): Promise<string> {
  const script = `set -o pipefail; trivium() { "$NODE" "$MAIN" "$@"; }; ${command}`;
  const env = {
    ...{ PATH: process.env.PATH, NODE: node, MAIN: main, REPO: root, FILES: join(import.meta.dirname, "files") },
    ...{ HOME: home, TRIVIUM_HOME: join(home, "home"), KUBECONFIG: join(home, "kubeconfig.yaml"), NO_COLOR: "1" },
    // Nothing of the outside world is asked.
    ...{ HF_ENDPOINT: "http://127.0.0.1:9", LC_ALL: "C.UTF-8" },
  };
  const child = spawn("bash", ["-c", script], { cwd: home, env, stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  const [output, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return `$ ${command}\n${output}${errors}${code === 0 ? "" : `exit code ${code}\n`}`;
}

const withoutThisRun = (transcript: string, home: string): string =>
  transcript
    .replaceAll(home, "~")
    .replaceAll(root, "REPO")
    .replaceAll(node, "NODE")
    .replaceAll(main, "MAIN")
    .replaceAll(/https:\/\/[\d.]+:\d+/g, "https://SERVER")
    .replaceAll(/(?<!: )\b\d+[smhd]\b(?= |$)/gm, "AGE")
    .replaceAll(/"created": "[^"]*"/g, '"created": "TIME"')
    .replaceAll(/^( +created: ).+$/gm, "$1TIME")
    // Columns are as wide as the ages of this run.
    .replaceAll(/(?<=\S) {2,}/g, "   ");

/** The transcript that is kept; with `UPDATE_CASES=1` it is written first. */
export function keptTranscript(session: Session, recorded: string): string {
  const file = join(import.meta.dirname, `${session}.txt`);
  if (process.env.UPDATE_CASES === "1") writeFileSync(file, recorded);
  return readFileSync(file, "utf8");
}
