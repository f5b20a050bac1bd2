import { parseSettings } from "../conversion/engine-launch.ts";
import type { EngineFamily } from "../serving/engine-family.ts";
import type { SizingFacts } from "./plan-sizing.ts";

/** How long a context, and how many of them, the arguments of an engine ask for. */
export function parseSizingArguments(
  family: EngineFamily | undefined,
  args: readonly string[],
): Pick<SizingFacts, "context" | "slots"> {
  if (family === undefined) return {};
  const { contextTokens, parallelRequests } = parseSettings(family === "llama.cpp" ? "llamacpp" : family, args);
  // llama.cpp divides its context between the slots; the number that others are given is a limit of their queue, not of their memory.
  const slots = family === "llama.cpp" ? parallelRequests || undefined : undefined;
  const context = Math.floor((contextTokens ?? 0) / (slots ?? 1));
  return { ...(context === 0 ? {} : { context }), ...(slots === undefined ? {} : { slots }) };
}
