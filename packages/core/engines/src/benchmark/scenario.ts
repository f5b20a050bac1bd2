/** The shape of the requests of one benchmark, as its short text says it: `D(100,100)`, `N(480,240)/(300,150)` … */
export type Scenario =
  | { readonly is: "fixed"; readonly input: number; readonly output: number }
  | { readonly is: "normal"; readonly input: Spread; readonly output: Spread }
  | { readonly is: "uniform"; readonly input: Range; readonly output: Range }
  | { readonly is: "embedding"; readonly tokens: number }
  | { readonly is: "image"; readonly width: number; readonly height: number; readonly count: number }
  | { readonly is: "rerank"; readonly document: number; readonly query: number }
  | { readonly is: "prefix"; readonly prefix: number; readonly suffix: number; readonly output: number };

export interface Spread {
  readonly mean: number;
  readonly deviation: number;
}
export interface Range {
  readonly least: number;
  readonly most: number;
}

export type ParsedScenario =
  | { readonly is: "scenario"; readonly scenario: Scenario }
  | { readonly is: "faulty"; readonly why: string };

/** More than any model reads; what is larger is a slip of the finger. */
const largest = 10_000_000;
const longest = 200;
const forms =
  "D(in,out), N(mean,deviation)/(mean,deviation), U(min,max)/(min,max), U(maxIn,maxOut), E(tokens), I(width,height[,count]), R(document,query) or P(prefix,suffix)/out";

const faulty = (why: string): ParsedScenario => ({ is: "faulty", why });

/** Total: whatever stands there, the answer is a scenario or what is wrong with it. */
export function parseScenario(text: string): ParsedScenario {
  if (text.length > longest) return faulty("the scenario is too long");
  const [, letter = "", first = "", second, bare] =
    /^([A-Z])\(([\d,\s]+)\)(?:\/(?:\(([\d,\s]+)\)|(\d+)))?$/.exec(text.trim()) ?? [];
  if (letter === "") return faulty(`"${text}" is not a valid scenario (expected one of ${forms})`);
  const groups: Groups = [numbersOf(first), numbersOf(second ?? bare ?? "")];
  if (groups.flat().some((value) => !Number.isSafeInteger(value) || value > largest))
    return faulty(`"${text}" has a number that is missing or greater than ${largest}`);
  const read = readers[letter];
  const scenario = bare !== undefined && letter !== "P" ? undefined : read?.(groups);
  if (scenario === undefined) return faulty(`"${text}" is not a valid scenario (expected one of ${forms})`);
  const fault = faultOf(scenario);
  return fault === undefined ? { is: "scenario", scenario } : faulty(`"${text}": ${fault}`);
}

type Groups = readonly [readonly number[], readonly number[]];
const numbersOf = (text: string): number[] =>
  text.trim() === "" ? [] : text.split(",").map((word) => (word.trim() === "" ? Number.NaN : Number(word)));

const readers: Readonly<Record<string, (groups: Groups) => Scenario | undefined>> = {
  D: ([[input, output, ...more], rest]) =>
    input === undefined || output === undefined || more.length + rest.length > 0
      ? undefined
      : { is: "fixed", input, output },
  N: ([first, second]) => {
    const [input, output] = [pairOf(first), pairOf(second)];
    if (input === undefined || output === undefined) return undefined;
    return { is: "normal", input: spreadOf(input), output: spreadOf(output) };
  },
  U: ([first, second]) => {
    const input = pairOf(first);
    if (input === undefined) return undefined;
    // One pair alone says the largest lengths of both sides.
    if (second.length === 0)
      return { is: "uniform", input: { least: 1, most: input[0] }, output: { least: 1, most: input[1] } };
    const output = pairOf(second);
    return output && { is: "uniform", input: rangeOf(input), output: rangeOf(output) };
  },
  E: ([[tokens, ...more], rest]) =>
    tokens === undefined || more.length + rest.length > 0 ? undefined : { is: "embedding", tokens },
  I: ([[width, height, count = 1, ...more], rest]) =>
    width === undefined || height === undefined || more.length + rest.length > 0
      ? undefined
      : { is: "image", width, height, count },
  R: ([[document, query, ...more], rest]) =>
    document === undefined || query === undefined || more.length + rest.length > 0
      ? undefined
      : { is: "rerank", document, query },
  P: ([first, [output, ...more]]) => {
    const pair = pairOf(first);
    if (pair === undefined || output === undefined || more.length > 0) return undefined;
    return { is: "prefix", prefix: pair[0], suffix: pair[1], output };
  },
};

function pairOf(numbers: readonly number[]): readonly [number, number] | undefined {
  const [a, b, ...more] = numbers;
  return a === undefined || b === undefined || more.length > 0 ? undefined : [a, b];
}
const spreadOf = ([mean, deviation]: readonly [number, number]): Spread => ({ mean, deviation });
const rangeOf = ([least, most]: readonly [number, number]): Range => ({ least, most });

function faultOf(scenario: Scenario): string | undefined {
  const [first] = sidesOf(scenario).filter((side) => side < 1);
  if (first !== undefined) return "lengths, sizes and counts must be at least 1";
  if (scenario.is !== "uniform") return undefined;
  const isBackwards = [scenario.input, scenario.output].some(({ least, most }) => least > most);
  return isBackwards ? "the minimum is greater than the maximum" : undefined;
}

function sidesOf(scenario: Scenario): number[] {
  switch (scenario.is) {
    case "fixed":
      return [scenario.input, scenario.output];
    case "normal":
      return [scenario.input.mean, scenario.output.mean];
    case "uniform":
      return [scenario.input.least, scenario.output.least];
    case "embedding":
      return [scenario.tokens];
    case "image":
      return [scenario.width, scenario.height, scenario.count];
    case "rerank":
      return [scenario.document, scenario.query];
    case "prefix":
      return [scenario.prefix, scenario.suffix, scenario.output];
  }
}

/** The text of a scenario, the same for all ways to write it. */
export function formatScenario(scenario: Scenario): string {
  switch (scenario.is) {
    case "fixed":
      return `D(${scenario.input},${scenario.output})`;
    case "normal": {
      const { input, output } = scenario;
      return `N(${input.mean},${input.deviation})/(${output.mean},${output.deviation})`;
    }
    case "uniform": {
      const { input, output } = scenario;
      return `U(${input.least},${input.most})/(${output.least},${output.most})`;
    }
    case "embedding":
      return `E(${scenario.tokens})`;
    case "image":
      return `I(${scenario.width},${scenario.height}${scenario.count === 1 ? "" : `,${scenario.count}`})`;
    case "rerank":
      return `R(${scenario.document},${scenario.query})`;
    case "prefix":
      return `P(${scenario.prefix},${scenario.suffix})/${scenario.output}`;
  }
}
