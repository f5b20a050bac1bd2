import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { embeddedBackend, playStory, readStories } from "@trivium/testkit";
import { InferenceService, Model } from "../src/index.ts";
import { operator, storyFolder } from "./story-operator.ts";

const wanted = process.env.STORY ?? "";

describe("stories on the embedded server", () => {
  for (const story of readStories(storyFolder).filter(({ name }) => name.includes(wanted))) {
    test(`${story.name}: ${story.given.about}`, async () => {
      const errors: string[] = [];
      const onError = (message: string, fields: object) => errors.push(`${message} ${Object.values(fields).join(" ")}`);
      await playStory(story, embeddedBackend({ kinds: [Model, InferenceService], operator, onError }));
      assert.deepEqual(errors, []);
    });
  }
});
