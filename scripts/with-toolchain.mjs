// What `npm start`, `npm test` and the other commands run: installs what is missing, then does the job with Node 24.
import { ensureInstalled, runScript, startProgram } from "./toolchain.mjs";

const [task, ...args] = process.argv.slice(2);
ensureInstalled();

if (task === "start") startProgram(["up", ...args]);
else process.exit(runScript(`${task}.ts`, args));
