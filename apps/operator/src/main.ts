import { aim } from "@trivium/aim";
import { llmkube } from "@trivium/llmkube";
import { ome } from "@trivium/ome";
import { runOperator } from "./run.ts";

// The end is said, not waited for: what a refused start or a late stop has left open must not keep the process.
process.exit(await runOperator({ dialects: [aim, ome, llmkube] }, process.argv.slice(2)));
