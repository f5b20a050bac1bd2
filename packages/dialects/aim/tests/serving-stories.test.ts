import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { embeddedBackend, playStory, readStories } from "@trivium/testkit";
import { aim } from "../src/index.ts";
import { operator, storyFolder, thirdPartyApisOf } from "./story-operator.ts";

const wanted = process.env.STORY ?? "";

describe("stories on the embedded server", () => {
  for (const story of readStories(storyFolder).filter(({ name }) => name.includes(wanted))) {
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
