import { type LogPlace, logOnce, logTail } from "@trivium/domain";
import type { Answered } from "@trivium/reconcile";

/** What containers of assumed pods have printed, by namespace and pod. */
export type PlayedLogs = Map<string, string>;

export const logKey = ({ namespace, pod }: Pick<LogPlace, "namespace" | "pod">): string => `${namespace}/${pod}`;

/** Pods that a plan assumes have the logs that it assumes; all others have their own. */
export const withPlayedLogs = (answers: readonly Answered[], logs: PlayedLogs): Answered[] =>
  answers.map((one) =>
    one.query.name !== logOnce.name && one.query.name !== logTail.name
      ? one
      : {
          query: one.query,
          answer: async (args, call) => logs.get(logKey(args as LogPlace)) ?? one.answer(args, call),
        },
  );
