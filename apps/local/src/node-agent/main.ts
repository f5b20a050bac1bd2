import { runNodeAgent } from "./run.ts";

// The end is said, not waited for: what a late stop has left open must not keep the process.
process.exit(await runNodeAgent(process.argv.slice(2), process.env));
