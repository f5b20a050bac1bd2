import { parseDialectNames } from "@trivium/reconcile";

/** Every upstream API that is supported, apart from its code: options name them, and help needs nothing else. */
export const dialectNames = ["aim", "ome", "llmkube"] as const;

/** Names of dialects out of `aim,ome`, or a sentence about what is wrong with it. */
export const parseDialects = (text: string): readonly string[] | string => parseDialectNames(text, dialectNames);
