import { type Distribution, summarizeValues } from "./distribution.ts";

/** Why a request brought nothing. */
export const errorKinds = ["refused", "http", "reset", "timeout", "garbage", "cut", "empty"] as const;
export type ErrorKind = (typeof errorKinds)[number];

/** One request as it went; times in milliseconds since the run began. */
export type RequestRecord =
  | {
      readonly is: "answered";
      readonly startedAt: number;
      /** When the first piece of the answer came; of an answer in one piece, when it came. */
      readonly firstAt: number;
      readonly endedAt: number;
      readonly inputTokens: number;
      readonly outputTokens: number;
    }
  | {
      readonly is: "failed";
      readonly startedAt: number;
      readonly endedAt: number;
      readonly kind: ErrorKind;
      /** The code of the answer, where there was one. */
      readonly status?: number;
      readonly message: string;
    };

/** One scenario at one concurrency. Times in milliseconds, rates by the second. */
export interface RunReport {
  readonly scenario: string;
  readonly concurrency: number;
  readonly durationMs: number;
  readonly requests: { readonly sent: number; readonly answered: number; readonly failed: number };
  readonly errors: Readonly<Partial<Record<ErrorKind, number>>>;
  /** What the first failure of each kind said. */
  readonly examples: Readonly<Partial<Record<ErrorKind, string>>>;
  readonly errorRate: number;
  readonly requestsPerSecond: number;
  readonly inputTokensPerSecond: number;
  readonly outputTokensPerSecond: number;
  readonly timeToFirstToken: Distribution;
  readonly timePerOutputToken: Distribution;
  readonly latency: Distribution;
  readonly inputTokens: Distribution;
  readonly outputTokens: Distribution;
}

export interface RunMeasured {
  readonly scenario: string;
  readonly concurrency: number;
  readonly durationMs: number;
  readonly records: readonly RequestRecord[];
}

type Answered = Extract<RequestRecord, { is: "answered" }>;

export function summarizeRun({ scenario, concurrency, durationMs, records }: RunMeasured): RunReport {
  const answered = records.filter((record): record is Answered => record.is === "answered");
  const failed = records.length - answered.length;
  const perSecond = (amount: number) => (durationMs > 0 ? (amount * 1000) / durationMs : 0);
  const sum = (of: (record: Answered) => number) => answered.reduce((total, record) => total + of(record), 0);
  return {
    scenario,
    concurrency,
    durationMs,
    requests: { sent: records.length, answered: answered.length, failed },
    ...countErrors(records),
    errorRate: records.length === 0 ? 0 : failed / records.length,
    requestsPerSecond: perSecond(answered.length),
    inputTokensPerSecond: perSecond(sum(({ inputTokens }) => inputTokens)),
    outputTokensPerSecond: perSecond(sum(({ outputTokens }) => outputTokens)),
    timeToFirstToken: summarizeValues(answered.map(({ startedAt, firstAt }) => firstAt - startedAt)),
    timePerOutputToken: summarizeValues(answered.flatMap(timePerToken)),
    latency: summarizeValues(answered.map(({ startedAt, endedAt }) => endedAt - startedAt)),
    inputTokens: summarizeValues(answered.map(({ inputTokens }) => inputTokens)),
    outputTokens: summarizeValues(answered.map(({ outputTokens }) => outputTokens)),
  };
}

/** Of the tokens after the first; an answer of one token has none. */
function timePerToken({ firstAt, endedAt, outputTokens }: Answered): number[] {
  return outputTokens > 1 ? [(endedAt - firstAt) / (outputTokens - 1)] : [];
}

function countErrors(records: readonly RequestRecord[]): Pick<RunReport, "errors" | "examples"> {
  const errors: Partial<Record<ErrorKind, number>> = {};
  const examples: Partial<Record<ErrorKind, string>> = {};
  for (const record of records) {
    if (record.is !== "failed") continue;
    errors[record.kind] = (errors[record.kind] ?? 0) + 1;
    examples[record.kind] ??= record.message;
  }
  return { errors, examples };
}
