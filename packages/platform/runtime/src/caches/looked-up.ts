import { isReason, type Kind, type KubeClient, Secret } from "@trivium/kube";
import { type Answered, type AnyReconciler, answer, defineQuery } from "@trivium/reconcile";
import { levelKinds } from "../apply/pod-security.ts";

/** Which Secret: never a list of them. */
interface SecretName {
  readonly namespace: string;
  readonly name: string;
}

/**
 * Secrets are read one by one, by the names that objects give: an operator that lists or watches them holds the credentials of every
 * tenant in its memory, and needs a permission that gives them all away. See docs/internals/decisions/0020-secrets-by-name.md.
 */
export const isLookedUp = ({ group, plural }: Kind): boolean => group === Secret.group && plural === Secret.plural;

/** Kinds whose objects are listed and watched. What is written must be, to be found again. */
export function followedKinds(reconcilers: readonly AnyReconciler[]): Kind[] {
  return reconcilers.flatMap((reconciler) => [
    reconciler.kind as Kind,
    ...(reconciler.reads as readonly Kind[]).filter((one) => !isLookedUp(one)),
    ...(reconciler.writes as readonly Kind[]),
    ...(reconciler.patches ?? []).map(({ kind }) => kind),
    ...levelKinds(reconciler),
  ]);
}

/** A Secret that is missing is what a person is about to create; one that is there changes rarely. */
export const secretByName = defineQuery<SecretName, Secret>("secretByName", { ttl: 60_000, absentTtl: 5_000 });

export const answerSecrets = (client: KubeClient): Answered<SecretName, Secret> =>
  answer(secretByName, async (ref) => {
    try {
      return await client.get(Secret, ref);
    } catch (error) {
      if (isReason(error, "NotFound")) return undefined;
      throw error;
    }
  });
