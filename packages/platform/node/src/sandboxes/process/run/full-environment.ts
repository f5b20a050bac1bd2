import { writeFile } from "node:fs/promises";
import { join } from "node:path";

export interface Command {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Names that a shell changes on the way, or keeps to itself. */
const changed = new Set(["IFS", "LINENO", "OLDPWD", "OPTIND", "PPID", "PS1", "PS2", "PS4", "PWD", "SHLVL", "_"]);

const isSafe = (name: string): boolean => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !changed.has(name);

/** Reads the environment, forgets the file, and becomes the program. */
const become = `
const [file, ...argv] = process.argv.slice(1);
const fs = require("node:fs");
const env = JSON.parse(fs.readFileSync(file, "utf8"));
fs.rmSync(file);
process.execve(argv[0], argv, env);
`;

/**
 * A command that has its whole environment even though a shell starts it. A shell drops variables whose names it cannot have itself, such
 * as \`app.mode\`, which Kubernetes allows. Those go by a file that only the process can read, and that is gone when it begins.
 */
export async function withFullEnvironment(command: Command, folder: string): Promise<Command> {
  if (Object.keys(command.env).every(isSafe)) return command;
  const file = join(folder, "env.json");
  await writeFile(file, JSON.stringify(command.env), { mode: 0o600 });
  return { argv: [process.execPath, "--no-warnings", "-e", become, file, ...command.argv], env: {} };
}
