import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { embeddedGround, type Operator, playStory, readStories } from "@trivium/testkit";
import { aim, aimDefaults, createAim } from "../src/index.ts";

const folder = join(import.meta.dirname, "../../../../stories/aim");
const operator: Operator = (given) => createAim({ ...aimDefaults, ...given }).reconcilers;
const wanted = process.env.STORY ?? "";

describe("stories on the embedded server", () => {
  for (const story of readStories(folder).filter(({ name }) => name.includes(wanted))) {
    test(`${story.name}: ${story.given.about}`, async () => {
      const errors: string[] = [];
      const onError = (message: string, fields: object) => errors.push(`${message} ${Object.values(fields).join(" ")}`);
      await playStory(story, embeddedGround({ kinds: [...aim.kinds] as never, operator, onError }));
      assert.deepEqual(errors, []);
    });
  }
});
