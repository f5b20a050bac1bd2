// The operator process of the story: the product with another dialect.
import { runOperator } from "../../src/index.ts";
import { garden, market } from "./garden.ts";

process.exit(await runOperator(() => ({ dialects: [garden], answers: () => [market] }), process.argv.slice(2)));
