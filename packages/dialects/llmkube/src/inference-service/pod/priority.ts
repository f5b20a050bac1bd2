import type { InferenceService } from "../../kinds/inference-service.ts";

/** The class of the pods; it has to exist in the cluster to count. */
export const priorityClassOf = ({ spec }: InferenceService): string =>
  spec.priorityClassName || `llmkube-${spec.priority ?? "normal"}`;

const values = { critical: 1_000_000, high: 100_000, normal: 10_000, low: 1_000, batch: 100 } as const;

/** What a service has that asks for nothing. Pods of other dialects need the same, or one would evict the other. */
export const defaultPriority = values.normal;

/** What the word stands for where the class itself is not there to ask. */
export const classPriorityOf = ({ spec }: InferenceService): number => priorityValueOf(spec.priority);

export const priorityValueOf = (word: keyof typeof values = "normal"): number => values[word];

/** The five classes, for whoever installs the dialect. */
export const priorityClasses = Object.entries(values).map(([word, value]) => ({
  name: `llmkube-${word}`,
  value,
  preemption: word === "batch" ? ("Never" as const) : ("PreemptLowerPriority" as const),
}));
