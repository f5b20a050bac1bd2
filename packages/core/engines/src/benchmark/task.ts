import { parseScenario, type Scenario } from "./scenario.ts";

/** What kind of requests a benchmark sends. */
export const benchmarkTasks = [
  "text-to-text",
  "image-to-text",
  "text-to-embeddings",
  "image-to-embeddings",
  "text-to-rerank",
] as const;
export type BenchmarkTask = (typeof benchmarkTasks)[number];

const shapes: Readonly<Record<BenchmarkTask, readonly Scenario["is"][]>> = {
  "text-to-text": ["fixed", "normal", "uniform", "prefix"],
  "image-to-text": ["image"],
  "text-to-embeddings": ["embedding"],
  "image-to-embeddings": ["image"],
  "text-to-rerank": ["rerank"],
};

const defaultScenarios: Readonly<Record<BenchmarkTask, readonly string[]>> = {
  "text-to-text": ["N(480,240)/(300,150)", "D(100,100)", "D(100,1000)", "D(2000,200)", "D(7800,200)"],
  "image-to-text": ["I(512,512)", "I(1024,512)", "I(2048,2048)"],
  "text-to-embeddings": ["E(64)", "E(128)", "E(256)", "E(512)", "E(1024)"],
  "image-to-embeddings": ["I(512,512)", "I(1024,512)", "I(2048,2048)"],
  "text-to-rerank": ["R(1024,100)"],
};

export const defaultConcurrency: readonly number[] = [1, 2, 4, 8, 16, 32, 64, 128, 256];

/** Scenarios of a task where nobody says which. */
export const defaultScenariosOf = (task: BenchmarkTask): readonly string[] => defaultScenarios[task];

/** A scenario that the task can send, or why it cannot. */
export function readScenario(
  text: string,
  task: BenchmarkTask,
): { is: "scenario"; scenario: Scenario } | { is: "faulty"; why: string } {
  const parsed = parseScenario(text);
  if (parsed.is === "faulty" || shapes[task].includes(parsed.scenario.is)) return parsed;
  const examples = defaultScenarios[task].slice(0, 2).join(" or ");
  return { is: "faulty", why: `"${text}" is not a scenario for ${task} (expected e.g. ${examples})` };
}
