import { chosenParts } from "./composition.ts";
import { runOperator } from "./run.ts";

// The reader of the log may be gone; the work continues without it.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
// Exits without waiting: what a refused start or a late stop has left open must not keep the process.
process.exit(await runOperator(chosenParts, process.argv.slice(2)));
