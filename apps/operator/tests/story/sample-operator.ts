// The operator process of the story: the product with another dialect.
import { runOperator } from "../../src/index.ts";
import { market, sampleCluster } from "./sample-dialect.ts";

process.exit(await runOperator(() => ({ dialects: [sampleCluster], answers: () => [market] }), process.argv.slice(2)));
