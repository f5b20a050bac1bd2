import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { join, resolve } from "node:path";

export type ProgramFound =
  | { readonly is: "found"; readonly path: string }
  | { readonly is: "missing"; readonly message: string };

/** The file that a command names, looked for as a container runtime does, and its words when there is none. */
export async function findProgram(name: string, cwd: string, path: string): Promise<ProgramFound> {
  if (name === "") return { is: "missing", message: "no command specified" };
  const subject = `exec: ${JSON.stringify(name)}`;
  if (name.includes("/")) {
    const failure = await failureOf(resolve(cwd, name));
    if (failure === undefined) return { is: "found", path: resolve(cwd, name) };
    return { is: "missing", message: `${subject}: stat ${name}: ${failure}` };
  }
  let isDenied = false;
  for (const folder of path.split(":")) {
    const file = join(resolve(cwd, folder === "" ? "." : folder), name);
    const failure = await failureOf(file);
    if (failure === undefined) return { is: "found", path: file };
    isDenied ||= failure === "permission denied";
  }
  return {
    is: "missing",
    message: `${subject}: ${isDenied ? "permission denied" : "executable file not found in $PATH"}`,
  };
}

async function failureOf(file: string): Promise<string | undefined> {
  try {
    if (!(await stat(file)).isFile()) return "is a directory";
    await access(file, constants.X_OK);
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EACCES" ? "permission denied" : "no such file or directory";
  }
}
