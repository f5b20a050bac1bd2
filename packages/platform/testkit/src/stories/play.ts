import assert from "node:assert/strict";
import { type AnyObject, apiVersionOf, Event, isReason, type Kind, type Ref, type ServedResource } from "@trivium/kube";
import { type Json, type JsonObject, type Millis, parseDuration } from "@trivium/std";
import type { Backend, OpenBackend } from "./backend.ts";
import { differencesOf, matches } from "./compare.ts";
import type { Step, Story } from "./story.ts";

/** Plays a story from its first step to its last, and fails with the step and all that was not as it said. */
export async function playStory(story: Story, open: OpenBackend): Promise<void> {
  const backend = await open(story);
  const player = new Player(backend, await backend.client.discover());
  try {
    for (const [i, step] of story.steps.entries()) {
      const faults = await player.play(step);
      assert.deepEqual(faults, [], `${story.name}, step ${i + 1} (${step.step})`);
    }
  } finally {
    await player.tidy();
    await backend.stop();
  }
}

/** `pods[app=x]`, and behind it another namespace than the story's: `pods[app=x]@team`. */
const severalOf = /^(\w+)\[([^\]]+)\](?:@(.+))?$/;

class Player {
  readonly #backend: Backend;
  readonly #served: readonly ServedResource[];
  readonly #kept = new Map<string, string>();
  readonly #applied = new Map<string, [Kind, Ref]>();

  constructor(backend: Backend, served: readonly ServedResource[]) {
    this.#backend = backend;
    this.#served = served;
  }

  async play(step: Step): Promise<string[]> {
    await this.#act(step);
    if (step.passes !== undefined) await this.#backend.pass(durationOf(step.passes));
    const faults = await this.#backend.settle(() => this.#inspect(step));
    if (step.writes === undefined) return faults;
    await this.#backend.finishWrites();
    return [...faults, ...this.#countWrites(step.writes)];
  }

  /** Takes away what the person made: the next story on the same ground must not find it, and a namespace goes quicker without. */
  async tidy(): Promise<void> {
    for (const [kind, ref] of [...this.#applied.values()].reverse())
      await this.#backend.client.delete(kind, ref).catch((error: unknown) => {
        if (!isReason(error, "NotFound")) throw error;
      });
  }

  async #act(step: Step): Promise<void> {
    const { client } = this.#backend;
    if (step.answers !== undefined) this.#backend.answers.change(step.answers);
    if (step.modelStore !== undefined) this.#backend.modelStore.change(step.modelStore);
    if (step.operator !== undefined) await turnOperator(this.#backend, step.operator, step.options);
    for (const node of step.joins ?? []) await this.#backend.join(node);
    for (const name of step.leaves ?? []) await this.#backend.leave(name);
    for (const object of step.apply ?? []) {
      const kind = this.#served.find((each) => isKindOf(each, object));
      if (kind === undefined) throw new Error(`${object.kind} is not served`);
      const placed = kind.namespaced ? { namespace: this.#backend.namespace, ...object.metadata } : object.metadata;
      const { name = "", namespace } = placed;
      this.#applied.set(`${kind.plural} ${namespace} ${name}`, [kind, { name, namespace }]);
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
    for (const name of step.delete ?? []) await this.#delete(name);
    for (const [name, status] of Object.entries(step.reports ?? {}))
      await client.patch(...this.#find(name), { type: "merge", body: { status } }, { subresource: "status" });
  }

  /** As kubectl deletes: what belongs to it is deleted as well. */
  async #delete(name: string): Promise<void> {
    const { client } = this.#backend;
    const several = severalOf.exec(name);
    const found: readonly [Kind, Ref][] = several === null ? [this.#find(name)] : await this.#listed(several);
    for (const [kind, ref] of found) await client.delete(kind, ref, { propagationPolicy: "Background" });
  }

  async #listed([, word = "", labelSelector = "", namespace = this.#backend.namespace]: readonly (
    | string
    | undefined
  )[]): Promise<[Kind, Ref][]> {
    const kind = this.#kindOf(word);
    const { items } = await this.#backend.client.list(kind, { namespace, labelSelector });
    return items.map(({ metadata: { name = "" } }): [Kind, Ref] => [kind, { namespace, name }]);
  }

  async #inspect({ sees = {}, keeps = [] }: Step): Promise<string[]> {
    const faults: string[] = [];
    for (const [name, expected] of Object.entries(sees)) faults.push(...(await this.#see(name, expected)));
    for (const name of keeps) {
      const uid = (await this.#backend.client.get(...this.#find(name))).metadata.uid ?? "";
      if (!this.#kept.has(name)) this.#kept.set(name, uid);
      if (this.#kept.get(name) !== uid) faults.push(`${name} is another one`);
    }
    return faults;
  }

  async #see(name: string, expected: Json): Promise<string[]> {
    const several = severalOf.exec(name);
    if (several?.[1] === "events") return this.#seeEvents(several[2] ?? "", expected as readonly string[]);
    if (several !== null) return this.#seeList(name, several, expected as JsonObject);
    try {
      const object = await this.#backend.client.get(...this.#find(name));
      return differencesOf(object, expected).map((line) => `${name} ${line}`);
    } catch (error) {
      if (!isReason(error, "NotFound")) throw error;
      return expected === "absent" ? [] : [`${name} is not there`];
    }
  }

  async #seeList(
    name: string,
    [, word = "", labelSelector = "", namespace = this.#backend.namespace]: readonly (string | undefined)[],
    expected: JsonObject,
  ): Promise<string[]> {
    const { client } = this.#backend;
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
    const [kind, ref] = this.#find(name);
    // Of what is of no namespace, this one keeps the events.
    const { items } = await this.#backend.client.list(Event, { namespace: ref.namespace ?? "default" });
    const reported = items
      .filter(({ involvedObject }) => involvedObject.kind === kind.kind && involvedObject.name === ref.name)
      .map(({ type, reason, message }) => `${type} ${reason} ${message}`);
    return expected
      .filter((line) => !reported.some((one) => matches(one, line)))
      .map((line) => `${name} was told ${JSON.stringify(reported)}, not ${line}`);
  }

  #countWrites(most: number): string[] {
    const written = this.#backend.writes.splice(0);
    return written.length <= most * this.#backend.writeTolerance
      ? []
      : [`the operator wrote ${written.length} times: ${written.join(", ")}`];
  }

  #find(name: string): [Kind, Ref] {
    const [, word = "", rest = "", namespace = this.#backend.namespace] =
      /^([^/]+)\/([^@]+)(?:@(.+))?$/.exec(name) ?? [];
    const kind = this.#kindOf(word);
    return [kind, kind.namespaced ? { namespace, name: rest } : { name: rest }];
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

function turnOperator(
  { operator }: Backend,
  how: NonNullable<Step["operator"]>,
  options: Step["options"],
): Promise<void> {
  if (how !== "stops" && how !== "starts") throw new Error(`operator: ${how}: it stops or starts`);
  return how === "stops" ? operator.stop() : operator.start(options);
}

const isKindOf = (kind: Kind, { apiVersion, kind: name }: AnyObject): boolean =>
  kind.kind === name && apiVersionOf(kind) === apiVersion;

function durationOf(text: string): Millis {
  const duration = parseDuration(text);
  if (duration === undefined) throw new Error(`${text} is no duration`);
  return duration;
}
