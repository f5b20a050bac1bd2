import { chosenParts } from "./composition.ts";
import { runOperator } from "./run.ts";

// Exits without waiting: what a refused start or a late stop has left open must not keep the process.
process.exit(await runOperator(chosenParts, process.argv.slice(2)));
