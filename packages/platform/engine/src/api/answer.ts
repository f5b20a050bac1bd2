import { randomBytes } from "node:crypto";
import type { Engine } from "../engine.ts";
import type { Outcome } from "./generation.ts";

/** What all choices of one answer share. */
export interface AnswerHead {
  readonly id: string;
  readonly created: number;
  readonly model: string;
  readonly system_fingerprint: string;
}

export function answerHead(engine: Engine): AnswerHead {
  return {
    id: `chatcmpl-${randomBytes(24).toString("base64url").replaceAll(/[-_]/g, "x")}`,
    created: Math.floor(Date.now() / 1000),
    model: engine.name,
    system_fingerprint: engine.about.build,
  };
}

export function usageOf(outcomes: readonly Outcome[]): Readonly<Record<string, unknown>> {
  const completion = outcomes.reduce((sum, { tokens }) => sum + tokens, 0);
  const prompt = outcomes[0]?.promptTokens ?? 0;
  return {
    completion_tokens: completion,
    prompt_tokens: prompt,
    total_tokens: completion + prompt,
    prompt_tokens_details: { cached_tokens: outcomes[0]?.timings.cache_n ?? 0 },
  };
}

export const finishOf = ({ stopType }: Outcome): "stop" | "length" => (stopType === "limit" ? "length" : "stop");
