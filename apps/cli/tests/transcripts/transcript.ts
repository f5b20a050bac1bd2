import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { trivium } from "../running.ts";
import { namespace } from "./world.ts";

const file = join(import.meta.dirname, "commands.txt");

/** What a person types on the seeded world, one after the other. */
const commands = [
  "get",
  "get chat",
  "get isvc",
  "get isvc.ome.io",
  "get aimservice assistant -o json",
  "get chta",
  "get aimservce chat",
  "get chat -o yamll",
  "gett",
  "logs chat",
  "logs chta",
  "logs chat --folow",
  "events chat",
  "events code",
  "events",
  "top chat",
  "stop code",
  "stop chat",
  "get chat",
  "start llmkube/chat --replicas 2",
  "stop aim/chat",
  "stop kserve/chat",
  "complete chat hello --gateway http://127.0.0.1:9",
  "chat chat hello --gateway http://127.0.0.1:9",
  "completion tcsh",
  "models ls --home /nowhere",
  "models rm x --home /nowhere",
  "models inspect /nowhere/x.gguf",
  "bench",
  "run /nowhere/x.gguf",
  "status --home /nowhere",
  "down --home /nowhere",
];

/** The session as text: command, output, errors, exit code. Ages and addresses of this run are replaced. */
export async function recordTranscript(kubeconfig: string, home: string): Promise<string> {
  const entries: string[] = [];
  for (const command of commands) {
    const takesCluster = /^(get|logs|events|top|stop|start)( |$)/.test(command);
    const words = [...command.split(" "), ...(takesCluster ? ["-n", namespace] : [])];
    const environment = { KUBECONFIG: kubeconfig, TRIVIUM_HOME: home, HOME: home, NO_COLOR: "1" };
    const process = trivium(words, environment);
    const code = await process.ended;
    const text = `${process.output()}${process.errors()}`;
    entries.push(`$ trivium ${command}\n${text}${code === 0 ? "" : `exit code ${code}\n`}`);
  }
  return (
    entries
      .join("\n")
      .replaceAll(/https:\/\/[\d.]+:\d+/g, "https://SERVER")
      .replaceAll(/\b\d+[smhd]\b(?= |$)/gm, "AGE")
      .replaceAll(/"created": "[^"]*"/g, '"created": "TIME"')
      // Columns are as wide as the ages of this run.
      .replaceAll(/(?<=\S) {2,}/g, "   ")
  );
}

/** The transcript that is kept; with `UPDATE_CASES=1` it is written first. */
export function keptTranscript(recorded: string): string {
  if (process.env.UPDATE_CASES === "1") writeFileSync(file, recorded);
  return readFileSync(file, "utf8");
}
