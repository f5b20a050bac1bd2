import type { ServingDialect } from "@trivium/domain";
import type { KubeClient } from "@trivium/kube";
import type { Answered } from "@trivium/reconcile";
import { type AdoptPolicy, createRuntime, systemClock } from "@trivium/runtime";
import type { Facts } from "../facts/facts.ts";
import { openShadow } from "../facts/shadow.ts";
import type { PlannedObject } from "../plan/difference.ts";
import { countAnswers } from "../plan/gate.ts";
import { plannedKinds } from "../plan/live-facts.ts";
import { dump, patience, rest } from "../plan/simulate.ts";

export interface AdoptionInput {
  readonly facts: Facts;
  readonly dialects: readonly ServingDialect[];
  readonly policy: AdoptPolicy;
  answers(client: KubeClient): readonly Answered[];
  /** Where Secrets are looked up by name, with the rights of the caller. */
  readonly secrets: Pick<KubeClient, "get">;
}

/** The state of the cluster, and that after a take-over. */
export interface AdoptionStates {
  readonly before: readonly PlannedObject[];
  readonly after: readonly PlannedObject[];
}

/** Lets the operator's own reconcilers take over a copy of the cluster in memory. */
export async function simulateAdoption(input: AdoptionInput): Promise<AdoptionStates> {
  const { facts, dialects, policy, secrets } = input;
  const shadow = await openShadow(facts, { dialects });
  try {
    const kinds = plannedKinds(dialects);
    const client: KubeClient = { ...shadow.client, get: (kind, ref, options) => secrets.get(kind, ref, options) };
    const asked = countAnswers(input.answers(client), patience);
    const before = await dump(shadow.client, kinds);
    const runtime = createRuntime({
      client,
      reconcilers: dialects.flatMap(({ reconcilers }) => reconcilers),
      answers: asked.answers,
      clock: { ...systemClock, now: () => facts.now },
      identity: "trivium-adopt",
      release: "plan",
      adopt: policy,
    });
    try {
      await runtime.start();
      await rest({ shadow, runtime, asked });
      return { before, after: await dump(shadow.client, kinds) };
    } finally {
      await runtime.stop();
    }
  } finally {
    await shadow.close();
  }
}
