import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { embeddedBackend, pickStories, playStory, readStories } from "@trivium/testkit";
import { aim } from "../src/index.ts";
import { operator, storyFolder, thirdPartyApisOf } from "./story-operator.ts";

/** One of each kind of object, and one fault; the cluster suite plays the others on this server too. */
const quick = ["worked-example", "canary", "kv-cache", "fault-template-gone"];

describe("stories on the embedded server", () => {
  for (const story of pickStories(readStories(storyFolder), quick)) {
    test(`${story.name}: ${story.given.about}`, async () => {
      const errors: string[] = [];
      const onError = (message: string, fields: object) => errors.push(`${message} ${Object.values(fields).join(" ")}`);
      await playStory(
        story,
        embeddedBackend({
          kinds: [...aim.kinds] as never,
          thirdPartyApis: thirdPartyApisOf(story.given),
          operator,
          onError,
        }),
      );
      assert.deepEqual(errors, []);
    });
  }
});
