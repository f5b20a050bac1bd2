import type { Command } from "commander";
import { withLocalPaths } from "./local-paths.ts";
import { runPart } from "./part.ts";

/** Programs with options of their own: weights, node-agent. */
export function declareWeights(program: Command): void {
  const part = (name: string, description: string) =>
    program
      .command(name)
      .description(`${description}; see trivium ${name} --help`)
      .helpOption(false)
      .allowUnknownOption()
      .argument("[args...]");
  part("weights", "download, inspect and store model weights").action(async (words: string[]) =>
    runPart((await import("@trivium/weights")).runProgram, withLocalPaths(words)),
  );
  part("node-agent", "download models to a node of a cluster, one process per node").action(async (words: string[]) =>
    (await import("../node-agent.ts")).becomeNodeAgent(words),
  );
}
