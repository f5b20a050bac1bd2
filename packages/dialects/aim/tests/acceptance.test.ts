import { join } from "node:path";
import { readStories, testAcceptance } from "@trivium/testkit";
import { storyFolder } from "./story-operator.ts";

const kinds = [
  ...["service", "model", "template", "model-source", "runtime-config"],
  ...["model-cache", "template-cache", "kv-cache"],
];

testAcceptance({
  root: join(import.meta.dirname, "../../../.."),
  page: "docs/internals/acceptance/aim.md",
  parts: { K: 62, E: 85, D: 19 },
  patterns: {
    ...Object.fromEntries(kinds.map((kind) => [kind, `packages/dialects/aim/src/${kind}/cases/*.yaml`])),
    stories: "stories/aim/*/steps.yaml",
  },
  stories: readStories(storyFolder).map(({ name }) => `stories/aim/${name}/steps.yaml`),
});
