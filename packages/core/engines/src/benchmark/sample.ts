import type { Range, Scenario, Spread } from "./scenario.ts";

/** What one request asks for, in tokens. */
export interface RequestShape {
  readonly input: number;
  /** Zero where nothing is generated. */
  readonly output: number;
  /** Tokens at the beginning that all requests share. */
  readonly shared: number;
}

/** Evenly spread from 0 up to, not including, 1. */
export type Random = () => number;

/** One request of a scenario. Nothing asks for less than one token. */
export function sampleRequest(scenario: Scenario, random: Random): RequestShape {
  switch (scenario.is) {
    case "fixed":
      return { input: scenario.input, output: scenario.output, shared: 0 };
    case "normal":
      return { input: fromSpread(scenario.input, random), output: fromSpread(scenario.output, random), shared: 0 };
    case "uniform":
      return { input: fromRange(scenario.input, random), output: fromRange(scenario.output, random), shared: 0 };
    case "embedding":
      return { input: scenario.tokens, output: 0, shared: 0 };
    case "prefix":
      return { input: scenario.prefix + scenario.suffix, output: scenario.output, shared: scenario.prefix };
    case "rerank":
      return { input: scenario.document + scenario.query, output: 0, shared: 0 };
    case "image":
      return { input: 1, output: 0, shared: 0 };
  }
}

const fromRange = ({ least, most }: Range, random: Random): number =>
  least + Math.min(most - least, Math.floor(random() * (most - least + 1)));

/** The method of Box and Muller. */
function fromSpread({ mean, deviation }: Spread, random: Random): number {
  const radius = Math.sqrt(-2 * Math.log(1 - random()));
  const value = Math.round(mean + deviation * radius * Math.cos(2 * Math.PI * random()));
  return Math.max(1, value);
}

/** Short words that every tokenizer knows as one token each, near enough; the server's own count is what is reported. */
const words = (
  "time year people way day man thing woman life child world school state family student group country problem hand part " +
  "place case week company system program question work number night point home water room mother area money story fact month"
).split(" ");

/** A prompt of about so many tokens: the shared beginning is always the same, the rest is by chance, so that no cache answers it. */
export function makePrompt({ input, shared }: Pick<RequestShape, "input" | "shared">, random: Random): string {
  const text: string[] = [];
  for (let at = 0; at < input; at += 1) {
    const pick =
      at < shared ? (at * 7) % words.length : Math.min(words.length - 1, Math.floor(random() * words.length));
    text.push(words[pick] as string);
  }
  return text.join(" ");
}
