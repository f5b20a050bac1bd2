// The operator process of a take-over: the product, with what staged nodes cannot answer played from the world.
import { chosenParts, runOperator } from "@trivium/operator";
import { StagedAnswers } from "@trivium/testkit";
import { readWorld } from "./world.ts";

const { answers: given = {}, dialect } = readWorld(process.env.TAKE_OVER_WORLD ?? "");

process.exit(
  await runOperator(
    (options) => {
      const parts = chosenParts(options);
      return {
        ...parts,
        answers: (client) => {
          const staged = new StagedAnswers(given, { client, now: Date.now }).all();
          const others = parts.answers?.(client).filter(({ query }) => !staged.some((one) => one.query === query));
          return [...staged, ...(others ?? [])];
        },
      };
    },
    ["--dialects", dialect, ...process.argv.slice(2)],
  ),
);
