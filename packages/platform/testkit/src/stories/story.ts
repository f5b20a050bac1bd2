import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { AnyObject } from "@trivium/kube";
import type { NodeProfile, StageTable } from "@trivium/node";
import type { Json, JsonObject } from "@trivium/std";
import { parse, parseAllDocuments } from "yaml";
import type { GivenAnswers } from "./staged-answers.ts";
import type { GivenModels } from "./staged-model-store.ts";

/** What a user lives through, in two files: `given.yaml`, the world as it is, and `steps.yaml`, what happens in it. */
export interface Story {
  readonly name: string;
  readonly given: Given;
  readonly steps: readonly Step[];
}

export interface Given {
  /** One sentence. */
  readonly about: string;
  /** By these names, where the manifests of a story name them; its own is the first. Left out: one, called as the ground likes. */
  readonly namespaces?: readonly string[];
  /** Neighbours whose kinds are there, where that is not usual: `kserve`. */
  readonly installs?: readonly string[];
  readonly nodes?: readonly StoryNode[];
  /** How containers live; `stage.ts` of `platform/node` has the words. */
  readonly stages?: StageTable;
  /** What the world outside the API answers. */
  readonly answers?: GivenAnswers;
  /** How nodes fare with the files of models, by address. */
  readonly modelStore?: GivenModels;
  /** How the operator is set up, where that is not as usual. */
  readonly operator?: JsonObject;
}

export type StoryNode = Omit<NodeProfile, "address">;

/** Carried out in this order: what is done, what time passes, what is seen then. */
export interface Step {
  readonly step: string;
  /** Files of this repository, applied before the rest. */
  readonly manifests?: readonly string[];
  readonly apply?: readonly AnyObject[];
  /** Merge patches, by `kind/name`. */
  readonly edit?: Readonly<Record<string, JsonObject>>;
  /** Replicas for the scale subresource, by `kind/name`. */
  readonly scale?: Readonly<Record<string, number>>;
  readonly delete?: readonly string[];
  /** Statuses that controllers of others write, by `kind/name`: a Gateway that takes a route. */
  readonly reports?: Readonly<Record<string, JsonObject>>;
  /** Nodes that come, and names of those that go. */
  readonly joins?: readonly StoryNode[];
  readonly leaves?: readonly string[];
  /** The operator goes away, or another one that remembers nothing comes in its place. */
  readonly operator?: "stops" | "starts";
  /** How the one that starts is set up, where that is not as in `given.yaml`. */
  readonly options?: JsonObject;
  /** Answers that are others from now on. */
  readonly answers?: GivenAnswers;
  readonly modelStore?: GivenModels;
  /** `30s`. A real cluster takes the time it needs instead; only the operator's clock is put forward. */
  readonly passes?: string;
  /** By `kind/name`: what is in the object, or `absent`. `pods[app=x]` and `events[kind/name]` look at several. Another namespace stands behind: `kind/name@team`. */
  readonly sees?: Readonly<Record<string, Json>>;
  /** Objects that are still the ones they were when they were first named here. */
  readonly keeps?: readonly string[];
  /** So often at most the operator wrote since this was last asked. */
  readonly writes?: number;
}

/** Every story of a folder. */
export function readStories(folder: string): Story[] {
  const names = readdirSync(folder).filter((name) => existsSync(join(folder, name, "steps.yaml")));
  return names.sort().map((name) => ({
    name,
    given: read(join(folder, name, "given.yaml")) as Given,
    steps: (read(join(folder, name, "steps.yaml")) as Step[]).map((step) => withManifests(step, join(folder, "../.."))),
  }));
}

/**
 * The stories to play: those whose name contains `STORY` where it is set (several words with commas between them). A plain `npm test` sets
 * `TRIVIUM_STORIES=quick` and plays the few that are named; the cluster suite plays all of them.
 */
export function pickStories(stories: readonly Story[], quick: readonly string[]): Story[] {
  const { STORY: wanted, TRIVIUM_STORIES: scope } = process.env;
  if (wanted !== undefined) return stories.filter(({ name }) => wanted.split(",").some((word) => name.includes(word)));
  return stories.filter(({ name }) => scope !== "quick" || quick.includes(name));
}

/** What the files of a step say, before what it says itself. */
function withManifests({ manifests = [], ...step }: Step, root: string): Step {
  if (manifests.length === 0) return step;
  const objects = manifests.flatMap((path) =>
    parseAllDocuments(readFileSync(join(root, path), "utf8")).map((each) => each.toJS() as AnyObject),
  );
  return { ...step, apply: [...objects, ...(step.apply ?? [])] };
}

function read(path: string): unknown {
  const content: unknown = parse(readFileSync(path, "utf8"), { merge: true });
  const strange = strangersOf(content, path);
  if (strange.length > 0) throw new Error(`${path}: unknown words ${strange.join(", ")}`);
  return content;
}

const words = {
  "given.yaml": ["about", "namespaces", "installs", "nodes", "stages", "answers", "modelStore", "operator"],
  "steps.yaml": [
    ...["step", "manifests", "apply", "edit", "scale", "delete", "reports", "operator", "options"],
    ...["joins", "leaves", "answers", "modelStore"],
    ...["passes", "sees", "keeps", "writes"],
  ],
};

/** A misspelled word would be a check that is never made. */
function strangersOf(content: unknown, path: string): string[] {
  const known = path.endsWith("given.yaml") ? words["given.yaml"] : words["steps.yaml"];
  const parts = (Array.isArray(content) ? content : [content]) as object[];
  return parts.flatMap((part) => Object.keys(part)).filter((word) => !known.includes(word));
}
