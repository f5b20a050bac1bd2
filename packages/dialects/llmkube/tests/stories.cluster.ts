import { readStories } from "@trivium/testkit";
import { playOnControlPlane } from "../../../../tools/cluster/stories/play-stories.ts";
import { llmkube } from "../src/index.ts";
import { operator, storyFolder, thirdPartyApis } from "./story-operator.ts";

await playOnControlPlane({
  dialect: llmkube,
  stories: readStories(storyFolder).filter(({ name }) => name.includes(process.env.STORY ?? "")),
  definitions: () => thirdPartyApis,
  operator,
  otherUses: {},
});
