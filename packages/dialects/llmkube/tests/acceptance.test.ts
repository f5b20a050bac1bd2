import { join } from "node:path";
import { readStories, testAcceptance } from "@trivium/testkit";
import { storyFolder } from "./story-operator.ts";

testAcceptance({
  root: join(import.meta.dirname, "../../../.."),
  page: "docs/internals/acceptance/llmkube.md",
  parts: { A: 10, M: 40, G: 7, I: 40, X: 10 },
  patterns: {
    model: "packages/dialects/llmkube/src/model/cases/*.yaml",
    service: "packages/dialects/llmkube/src/inference-service/cases/*.yaml",
    stories: "stories/llmkube/*/steps.yaml",
  },
  stories: readStories(storyFolder).map(({ name }) => `stories/llmkube/${name}/steps.yaml`),
});
