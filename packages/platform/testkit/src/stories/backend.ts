import type { KubeClient } from "@trivium/kube";
import type { ModelStoreApi } from "@trivium/node";
import type { AnyReconciler } from "@trivium/reconcile";
import type { JsonObject, Millis } from "@trivium/std";
import type { OperatorHarness } from "./operator-harness.ts";
import type { StagedAnswers } from "./staged-answers.ts";
import type { StagedModelStore } from "./staged-model-store.ts";
import type { Given, StoryNode } from "./story.ts";

/** An API server with controllers and nodes on which one story is played. */
export interface Backend {
  /** The person's: what is written here is not counted. */
  readonly client: KubeClient;
  readonly namespace: string;
  /** What the operator wrote, as `apply Deployment`. */
  readonly writes: string[];
  /** How many times the writes of a step are allowed: where passes come at another pace, more states are reported. */
  readonly writeTolerance: number;
  readonly answers: StagedAnswers;
  readonly modelStore: StagedModelStore;
  readonly operator: OperatorHarness;
  join(node: StoryNode): Promise<void>;
  leave(name: string): Promise<void>;
  /** Lets time pass; what is not about hours takes as long as it takes. */
  pass(time: Millis): Promise<void>;
  /** Repeats the search until it finds no fault or patience ends, and returns the faults that are left. */
  settle(find: () => Promise<string[]>): Promise<string[]>;
  /** Resolves when the operator writes no more: only then are writes counted. */
  finishWrites(): Promise<void>;
  stop(): Promise<void>;
}

/** Makes the reconcilers of a dialect, set up as a story wants it, with its own home in the story's namespace. */
export type Operator = (options: JsonObject, home: { readonly namespace: string }) => readonly AnyReconciler[];

/** How objects of a dialect become files on nodes, with the operator's home in the story's namespace. */
export type ModelStoreFactory = (home: { readonly namespace: string }) => ModelStoreApi;

export type OpenBackend = (story: { readonly name: string; readonly given: Given }) => Promise<Backend>;
