import { runNodeAgent } from "./run.ts";

// The reader of the log may be gone; the work continues without it.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
// The end is said, not waited for: what a late stop has left open must not keep the process.
process.exit(await runNodeAgent(process.argv.slice(2), process.env));
