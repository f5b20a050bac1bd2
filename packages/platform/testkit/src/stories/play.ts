import assert from "node:assert/strict";
import { type AnyObject, apiVersionOf, Event, isReason, type Kind, type Ref, type ServedResource } from "@trivium/kube";
import { type Json, type JsonObject, type Millis, parseDuration } from "@trivium/std";
import { differencesOf, matches } from "./compare.ts";
import type { Ground, OpenGround } from "./ground.ts";
import type { Step, Story } from "./story.ts";

/** Plays a story from its first step to its last, and fails with the step and all that was not as it said. */
export async function playStory(story: Story, open: OpenGround): Promise<void> {
  const ground = await open(story);
  try {
    const player = new Player(ground, await ground.client.discover());
    for (const [i, step] of story.steps.entries()) {
      const faults = await player.play(step);
      assert.deepEqual(faults, [], `${story.name}, step ${i + 1} (${step.step})`);
    }
  } finally {
    await ground.stop();
  }
}

class Player {
  readonly #ground: Ground;
  readonly #served: readonly ServedResource[];
  readonly #kept = new Map<string, string>();

  constructor(ground: Ground, served: readonly ServedResource[]) {
    this.#ground = ground;
    this.#served = served;
  }

  async play(step: Step): Promise<string[]> {
    await this.#act(step);
    if (step.passes !== undefined) await this.#ground.pass(durationOf(step.passes));
    const faults = await this.#ground.look(() => this.#look(step));
    return [...faults, ...this.#countWrites(step.writes)];
  }

  async #act(step: Step): Promise<void> {
    const { client } = this.#ground;
    if (step.answers !== undefined) this.#ground.answers.change(step.answers);
    for (const node of step.joins ?? []) await this.#ground.join(node);
    for (const name of step.leaves ?? []) await this.#ground.leave(name);
    for (const object of step.apply ?? []) {
      const kind = this.#served.find((each) => isKindOf(each, object));
      if (kind === undefined) throw new Error(`${object.kind} is not served`);
      const placed = kind.namespaced ? { namespace: this.#ground.namespace, ...object.metadata } : object.metadata;
      const whole = { ...object, metadata: placed };
      await client.apply(kind, whole, { fieldManager: "person", fieldValidation: "Strict", force: true });
    }
    for (const [name, body] of Object.entries(step.edit ?? {}))
      await client.patch(...this.#find(name), { type: "merge", body }, { fieldManager: "person" });
    for (const [name, replicas] of Object.entries(step.scale ?? {}))
      await client.patch(
        ...this.#find(name),
        { type: "merge", body: { spec: { replicas } } },
        { subresource: "scale" },
      );
    for (const name of step.delete ?? []) await client.delete(...this.#find(name));
  }

  async #look({ sees = {}, keeps = [] }: Step): Promise<string[]> {
    const faults: string[] = [];
    for (const [name, expected] of Object.entries(sees)) faults.push(...(await this.#see(name, expected)));
    for (const name of keeps) {
      const uid = (await this.#ground.client.get(...this.#find(name))).metadata.uid ?? "";
      if (!this.#kept.has(name)) this.#kept.set(name, uid);
      if (this.#kept.get(name) !== uid) faults.push(`${name} is another one`);
    }
    return faults;
  }

  async #see(name: string, expected: Json): Promise<string[]> {
    const several = /^(\w+)\[(.+)\]$/.exec(name);
    if (several?.[1] === "events") return this.#seeEvents(several[2] ?? "", expected as readonly string[]);
    if (several !== null) return this.#seeList(name, several, expected as JsonObject);
    try {
      const object = await this.#ground.client.get(...this.#find(name));
      return differencesOf(object, expected).map((line) => `${name} ${line}`);
    } catch (error) {
      if (!isReason(error, "NotFound")) throw error;
      return expected === "absent" ? [] : [`${name} is not there`];
    }
  }

  async #seeList(
    name: string,
    [, word = "", labelSelector = ""]: readonly string[],
    expected: JsonObject,
  ): Promise<string[]> {
    const { client, namespace } = this.#ground;
    const { items } = await client.list(this.#kindOf(word), { namespace, labelSelector });
    const present = items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    const { count, each } = expected;
    // Without a number nothing at all would be as good as everything.
    if (typeof count !== "number") throw new Error(`${name}: say how many with "count"`);
    const faults = present.length === count ? [] : [`${name}: ${present.length}, not ${count}`];
    if (each === undefined) return faults;
    return [...faults, ...present.flatMap((item) => differencesOf(item, each).map((line) => `${name} ${line}`))];
  }

  async #seeEvents(name: string, expected: readonly string[]): Promise<string[]> {
    const { client, namespace } = this.#ground;
    const [kind, ref] = this.#find(name);
    const { items } = await client.list(Event, { namespace });
    const told = items
      .filter(({ involvedObject }) => involvedObject.kind === kind.kind && involvedObject.name === ref.name)
      .map(({ type, reason, message }) => `${type} ${reason} ${message}`);
    return expected
      .filter((line) => !told.some((one) => matches(one, line)))
      .map((line) => `${name} was told ${JSON.stringify(told)}, not ${line}`);
  }

  #countWrites(most: number | undefined): string[] {
    if (most === undefined) return [];
    const written = this.#ground.writes.splice(0);
    return written.length <= most ? [] : [`the operator wrote ${written.length} times: ${written.join(", ")}`];
  }

  #find(name: string): [Kind, Ref] {
    const [word = "", ...rest] = name.split("/");
    const kind = this.#kindOf(word);
    return [kind, { ...(kind.namespaced ? { namespace: this.#ground.namespace } : {}), name: rest.join("/") }];
  }

  /** As kubectl finds it: by singular, plural or short name. */
  #kindOf(word: string): ServedResource {
    const found = this.#served.find(
      ({ singular, plural, shortNames }) => singular === word || plural === word || shortNames.includes(word),
    );
    if (found === undefined) throw new Error(`nothing is called ${word}`);
    return found;
  }
}

const isKindOf = (kind: Kind, { apiVersion, kind: name }: AnyObject): boolean =>
  kind.kind === name && apiVersionOf(kind) === apiVersion;

function durationOf(text: string): Millis {
  const duration = parseDuration(text);
  if (duration === undefined) throw new Error(`${text} is no duration`);
  return duration;
}
