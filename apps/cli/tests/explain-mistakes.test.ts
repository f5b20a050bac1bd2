import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { aim, aimDefaults, createAim } from "@trivium/aim";
import { gather } from "@trivium/explain";
import { type DefinedKind, gatewayApiCrds } from "@trivium/kube";
import { createLlmkube, llmkube, llmkubeDefaults } from "@trivium/llmkube";
import { createOme, modelStoreOf, ome, omeDefaults } from "@trivium/ome";
import { isObject, type Json } from "@trivium/std";
import { type Backend, type EmbeddedOptions, embeddedBackend, playStory, readStories } from "@trivium/testkit";
import { printExplanation } from "../src/explain/print.ts";

type Dialect = Omit<EmbeddedOptions, "onError">;

const dialects: Readonly<Record<string, Dialect>> = {
  llmkube: { kinds: [...llmkube.kinds] as never, operator: () => createLlmkube(llmkubeDefaults).reconcilers },
  ome: {
    kinds: [...ome.kinds] as never,
    operator: (_, { namespace }) => createOme({ ...omeDefaults, namespace }).reconcilers,
    modelStore: ({ namespace }) => modelStoreOf({ ...omeDefaults, namespace }),
  },
  aim: {
    kinds: [...aim.kinds] as never,
    thirdPartyApis: await gatewayApiCrds(),
    operator: (_, { namespace }) => createAim({ ...aimDefaults, operatorNamespace: namespace }).reconcilers,
  },
};

/** These may pass: a server that does not listen yet, a first exit. */
const mayPass = ["port", "first"];

/** All patterns of messages in what a story expects of an object. */
const messagesIn = (expected: Json): string[] =>
  isObject(expected)
    ? Object.entries(expected).flatMap(([path, inner]) =>
        typeof inner === "string" ? (path.endsWith("message") ? [inner] : []) : messagesIn(inner as Json),
      )
    : [];

const whyIn = (text: string): string => /\n\nWhy\n {2}(.*)\n/.exec(text)?.[1] ?? "";

/** What explain prints of an object, compared with what the story expects of its status. */
async function compare(backend: Backend, kinds: readonly DefinedKind[], [subject, expected]: [string, Json]) {
  const [, word = "", name = "", namespace = backend.namespace] = /^(\w+)\/([^@]+)(?:@(.+))?$/.exec(subject) ?? [];
  const kind = kinds.find(({ singular, shortNames }) => singular === word || shortNames.includes(word));
  if (kind === undefined) return [];
  const text = printExplanation(
    await gather(backend.client, { kind, name }, { namespace, dialects: [aim, ome, llmkube] }),
    Date.now(),
  );
  const [headline = ""] = text.split("\n");
  const action = headline.includes("needs action") !== mayPass.includes(name) ? [] : [`${subject}: ${headline}`];
  const [pattern = "", ...others] = messagesIn(expected).map((one) => one.slice(1, -1));
  // The first is why; others are of conditions that explain prints as well.
  const why = new RegExp(pattern).test(whyIn(text)) ? [] : [`${subject} is explained by "${whyIn(text)}"`];
  const missing = others.filter((one) => !new RegExp(one.replaceAll(/^\^|\$$/g, "")).test(text));
  return [...action, ...why, ...missing.map((one) => `${subject} is explained without ${one}`)];
}

for (const [dialect, options] of Object.entries(dialects))
  test(`explain names the cause of each mistake in the words of the status: ${dialect}`, async () => {
    const folder = join(import.meta.dirname, "../../../stories", dialect);
    const story = readStories(folder).find(({ name }) => name === "mistakes");
    const steps = story?.steps.slice(0, 2) ?? [];
    const mistakes = Object.entries(steps[1]?.sees ?? {});
    assert.ok(story && mistakes.length > 10);
    const errors: string[] = [];
    const onError = (message: string) => errors.push(message);
    let rounds = 0;
    await playStory({ ...story, steps }, async (opened) => {
      const backend = await embeddedBackend({ ...options, onError })(opened);
      const settle: Backend["settle"] = async (find) => {
        rounds += 1;
        const faults = await backend.settle(find);
        if (rounds < steps.length || faults.length > 0) return faults;
        return (await Promise.all(mistakes.map((one) => compare(backend, options.kinds, one)))).flat();
      };
      return { ...backend, settle };
    });
    assert.equal(rounds, steps.length);
    assert.deepEqual(errors, []);
  });
