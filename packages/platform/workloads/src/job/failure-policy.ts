import type { api, Job, Pod } from "@trivium/kube";

/** What the job's rules say of a failed pod; `undefined` when none speaks of it: it counts. */
export interface Ruling {
  readonly action: api.PodFailurePolicyRule["action"];
  /** Why the job as a whole fails. */
  readonly message?: string;
}

export function rulingOn(pod: Pod, { spec }: Job): Ruling | undefined {
  for (const [i, rule] of (spec?.podFailurePolicy?.rules ?? []).entries()) {
    const cause = causeOf(pod, rule);
    if (cause === undefined) continue;
    const { action } = rule;
    return action === "FailJob" ? { action, message: `${cause} matching ${action} rule at index ${i}` } : { action };
  }
  return undefined;
}

export const isIgnored = (pod: Pod, job: Job): boolean => rulingOn(pod, job)?.action === "Ignore";

function causeOf(pod: Pod, { onExitCodes, onPodConditions }: api.PodFailurePolicyRule): string | undefined {
  const { name, namespace } = pod.metadata;
  if (onExitCodes !== undefined) {
    const container = exitedBy(pod, onExitCodes);
    return (
      container && `Container ${container.name} for pod ${namespace}/${name} failed with exit code ${container.code}`
    );
  }
  const found = (pod.status?.conditions ?? []).find(({ type, status }) =>
    onPodConditions?.some((pattern) => pattern.type === type && (pattern.status ?? "True") === status),
  );
  return found && `Pod ${namespace}/${name} has condition ${found.type}`;
}

function exitedBy({ status }: Pod, rule: api.PodFailurePolicyOnExitCodesRequirement) {
  for (const { name, state } of [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])]) {
    const code = state?.terminated?.exitCode ?? 0;
    if (code === 0 || (rule.containerName !== undefined && rule.containerName !== name)) continue;
    if (rule.values.includes(code) === (rule.operator === "In")) return { name, code };
  }
  return undefined;
}
