import type { ModelTraits, SupportedFormat } from "./traits.ts";
import { takesVersion, type VersionOperator } from "./version.ts";

/** One way in which an entry of a runtime and a model do not go together. */
export interface Mismatch {
  readonly aspect:
    | "architecture"
    | "quantization"
    | "format name"
    | "format version"
    | "framework name"
    | "framework version"
    | "diffusion pipeline";
  /** What the runtime wants, and what the model has; nothing where a side says nothing. */
  readonly wanted?: string | undefined;
  readonly found?: string | undefined;
}

/** Everything that keeps this entry from serving the model; nothing when it can. Hundreds of entries are compared for each service. */
export function compareFormat(entry: SupportedFormat, model: ModelTraits): readonly Mismatch[] {
  const first = [
    compareText("architecture", entry.modelArchitecture, model.modelArchitecture),
    compareText("quantization", entry.quantization, model.quantization),
    compareNamed("format", entry.modelFormat, model.modelFormat),
    compareNamed("framework", entry.modelFramework, model.modelFramework),
  ].filter((one) => one !== undefined);
  if (entry.diffusionPipeline === undefined) return first;
  return [...first, ...comparePipeline(entry.diffusionPipeline, model.diffusionPipeline)];
}

/** Both say nothing, or both say the same. */
function compareText(
  aspect: "architecture" | "quantization",
  wanted: string | undefined,
  found: string | undefined,
): Mismatch | undefined {
  const ours = wanted || undefined;
  const theirs = found || undefined;
  return ours === theirs ? undefined : { aspect, wanted: ours, found: theirs };
}

interface Named {
  readonly name: string;
  readonly version?: string | undefined;
  readonly operator?: VersionOperator | undefined;
}

function compareNamed(
  what: "format" | "framework",
  wanted: Named | undefined,
  found: Named | undefined,
): Mismatch | undefined {
  const ours = wanted?.name || undefined;
  const theirs = found?.name || undefined;
  if (ours !== theirs) return { aspect: `${what} name`, wanted: ours, found: theirs };
  const version = wanted?.version || undefined;
  const other = found?.version || undefined;
  if (version === undefined && other === undefined) return undefined;
  const isTaken = version !== undefined && other !== undefined && takesVersion(version, other, wanted?.operator);
  if (isTaken) return undefined;
  return { aspect: `${what} version`, wanted: withOperator(version, wanted?.operator), found: other };
}

function withOperator(version: string | undefined, operator: VersionOperator | undefined): string | undefined {
  if (version === undefined || operator === undefined || operator === "Equal") return version;
  return operator === "GreaterThan" ? `below ${version}` : `at most ${version}`;
}

type Pipeline = NonNullable<ModelTraits["diffusionPipeline"]>;
const parts = ["scheduler", "textEncoder", "tokenizer", "transformer", "vae"] as const;

/** What the entry leaves open is open: a class, a part, or the library of a part. */
function comparePipeline(wanted: Pipeline, found: Pipeline | undefined): Mismatch[] {
  const aspect = "diffusion pipeline";
  if (found === undefined) return [{ aspect, wanted: wanted.className ?? "a pipeline" }];
  if (wanted.className && wanted.className !== found.className)
    return [{ aspect, wanted: wanted.className, found: found.className }];
  const extra = Object.keys(wanted.additionalComponents ?? {}).sort();
  const pairs = [
    ...parts.map((part) => [part, wanted[part], found[part]] as const),
    ...extra.map((part) => [part, wanted.additionalComponents?.[part], found.additionalComponents?.[part]] as const),
  ];
  return pairs.flatMap(([part, ours, theirs]): Mismatch[] => {
    if (ours === undefined) return [];
    const isSame = agrees(ours.library, theirs?.library) && agrees(ours.type, theirs?.type);
    return isSame ? [] : [{ aspect, wanted: `${part} ${show(ours)}`, found: theirs && `${part} ${show(theirs)}` }];
  });
}

const agrees = (wanted: string | undefined, found: string | undefined): boolean => !wanted || wanted === found;
const show = ({ library, type }: { library?: string | undefined; type?: string | undefined }): string =>
  [library, type].filter(Boolean).join(".");

/** In a sentence part, with both sides. */
export function describeMismatch({ aspect, wanted, found }: Mismatch): string {
  if (found === undefined) return `${aspect}: the model has none, the runtime requires ${wanted}`;
  if (wanted === undefined) return `${aspect}: the model has ${found}, the runtime names none`;
  return `${aspect}: the model has ${found}, the runtime requires ${wanted}`;
}

/** The side of the runtime alone, beside which that of the model is printed. */
export const describeOffer = ({ aspect, wanted }: Mismatch): string => `${aspect} ${wanted ?? "none"}`;

/** The framework that the model would have to name, where nothing else is missing: it says how to read the weights, and not what they are. */
export function missingFramework(mismatches: readonly Mismatch[]): string | undefined {
  const [only, ...others] = mismatches;
  const isMissing = others.length === 0 && only?.aspect === "framework name" && only.found === undefined;
  return isMissing ? only.wanted : undefined;
}
