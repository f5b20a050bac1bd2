import { join } from "node:path";
import { testAcceptance } from "@trivium/testkit";

testAcceptance({
  root: join(import.meta.dirname, "../../../.."),
  page: "docs/internals/acceptance/ome.md",
  parts: { R: 34, M: 26, C: 23, A: 27, W: 23, B: 11 },
  patterns: {
    model: "packages/dialects/ome/src/model/cases/*.yaml",
    service: "packages/dialects/ome/src/inference-service/cases/*.yaml",
    benchmark: "packages/dialects/ome/src/benchmark-job/cases/*.yaml",
    stories: "stories/ome/*/steps.yaml",
    weight: "packages/dialects/ome/src/fine-tuned-weight/cases/*.yaml",
    cli: "apps/cli/*",
    local: "apps/local/*",
    operator: "apps/operator/*",
  },
});
