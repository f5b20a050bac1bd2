// Formats every file and fixes what the linter can fix by itself.
import { run } from "./run.ts";

process.exit(await run("biome", ["check", "--write", "."]));
