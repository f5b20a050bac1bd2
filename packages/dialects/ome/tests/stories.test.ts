import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { embeddedBackend, playStory } from "@trivium/testkit";
import { ome } from "../src/index.ts";
import { modelStore, operator, stories } from "./story-operator.ts";

/** Each costs half a second of the three big definitions; the others are played in stories.cluster.ts, on this server too. */
const quick = ["smoke", "runtime-under-service", "node-lost"];

describe("stories on the embedded server", () => {
  for (const story of stories().filter(({ name }) => process.env.STORY !== undefined || quick.includes(name))) {
    test(`${story.name}: ${story.given.about}`, async () => {
      const errors: string[] = [];
      const onError = (message: string, fields: object) => errors.push(`${message} ${Object.values(fields).join(" ")}`);
      await playStory(story, embeddedBackend({ kinds: [...ome.kinds] as never, operator, modelStore, onError }));
      assert.deepEqual(errors, []);
    });
  }
});
