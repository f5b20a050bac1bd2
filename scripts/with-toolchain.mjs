// What `npm start`, `npm test` and the other commands run: installs what is missing, then does the job with Node 24.
import { spawn } from "node:child_process";
import { ensureBuilt, ensureInstalled, findNode, programFlags, runScript } from "./toolchain.mjs";

const [task, ...args] = process.argv.slice(2);
ensureInstalled();

if (task === "start") startProgram(args);
else process.exit(runScript(`${task}.ts`, args));

/** The program gets the signals itself and decides when it is done; we only pass its exit status on. */
function startProgram(options) {
  const child = spawn(findNode(), [...programFlags, ensureBuilt(), "up", ...options], { stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    // A terminal sends Ctrl-C to the whole group, so the program may see it twice; it takes the second as the same wish.
    process.on(signal, () => child.kill(signal));
  }
  child.on("exit", (code, signal) => process.exit(code ?? (signal === "SIGINT" ? 130 : 1)));
}
