import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { embeddedBackend, pickStories, playStory, readStories } from "@trivium/testkit";
import { llmkube } from "../src/index.ts";
import { operator, storyFolder, thirdPartyApis } from "./story-operator.ts";

/** From start to ready, and one fault; the cluster suite plays the others on this server too. */
const quick = ["few-writes", "cpu-service", "crash-loop", "two-services", "waiting-for-gpu"];

describe("stories on the embedded server", () => {
  for (const story of pickStories(readStories(storyFolder), quick)) {
    test(`${story.name}: ${story.given.about}`, async () => {
      const errors: string[] = [];
      const onError = (message: string, fields: object) => errors.push(`${message} ${Object.values(fields).join(" ")}`);
      await playStory(
        story,
        embeddedBackend({ kinds: [...llmkube.kinds] as never, thirdPartyApis, operator, onError }),
      );
      assert.deepEqual(errors, []);
    });
  }
});
