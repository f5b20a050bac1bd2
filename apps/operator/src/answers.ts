import type { KubeClient } from "@trivium/kube";
import {
  localFileAnswers,
  modelServerAnswers,
  modelSourceAnswers,
  objectWarningAnswers,
  podLogAnswers,
  registryAnswers,
  servedKindAnswers,
} from "@trivium/probes";
import type { Answered } from "@trivium/reconcile";
import type { PolicyRule } from "@trivium/runtime";
import type { OperatorOptions } from "./options/options.ts";

/** Who answers what only the world outside the API knows. Sources are named by tenants, so they lead outside, or where it is allowed. */
export function answersOf(
  { remoteHosts, llmkube }: OperatorOptions,
  environment: Readonly<Record<string, string | undefined>>,
): (client: KubeClient) => readonly Answered[] {
  const localRoots = llmkube.localRoots.map((path) => ({ path }));
  const addresses = { publicAnd: remoteHosts };
  return (client) => [
    ...localFileAnswers(localRoots, Date.now),
    ...modelSourceAnswers({ environment, addresses, localRoots, now: Date.now }),
    ...modelServerAnswers(),
    ...podLogAnswers(client),
    ...objectWarningAnswers(client),
    ...servedKindAnswers(client),
    ...registryAnswers({ client, environment, addresses, now: Date.now }),
  ];
}

export const answerPermissions: readonly PolicyRule[] = [
  { apiGroups: [""], resources: ["pods/log"], verbs: ["get"] },
  { apiGroups: [""], resources: ["events"], verbs: ["list"] },
];
