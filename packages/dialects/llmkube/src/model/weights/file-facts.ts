import { measureHeader, summarizeGguf } from "@trivium/engines";
import { deepEqual } from "@trivium/std";
import type { Model } from "../../kinds/model.ts";
import { cacheKeyOf } from "../../weights/cache-key.ts";
import { planFileSet } from "../../weights/file-set.ts";
import type { ModelPlace } from "../lower.ts";
import type { ObservedModel } from "../observe.ts";
import type { DriftReport } from "./drift.ts";

type Status = NonNullable<Model["status"]>;
export type FileFacts = Pick<Status, "gguf" | "size" | "weights">;

/**
 * What the status says of the file. What was found out stays while the source does not answer, and while the source is not what was cached:
 * pods serve what they have.
 */
export function describeFile(
  model: Model,
  { header }: ObservedModel,
  { place, drift }: { place: ModelPlace; drift: DriftReport | undefined },
): FileFacts {
  const before = rememberedFile(model);
  const found: FileFacts = {
    gguf: header?.is === "known" ? ggufOf(header.value) : before.gguf,
    size: place.bytes === undefined ? before.size : formatSize(place.bytes),
    weights: { ...(header?.is === "known" ? {} : before.weights), ...weightsOf(header, place.bytes) },
  };
  const { gguf, size, weights } = drift?.state === "drifted" ? { ...found, ...before } : found;
  return {
    ...(gguf ? { gguf } : {}),
    ...(size ? { size } : {}),
    ...(weights && Object.keys(weights).length > 0 ? { weights } : {}),
  };
}

/** What services compute their memory from: they read it here, so that a header is read once. */
function weightsOf(header: ObservedModel["header"], bytes: number | undefined): NonNullable<Status["weights"]> {
  const size = bytes === undefined ? {} : { bytes };
  if (header?.is !== "known" || header.value.format !== "gguf") return size;
  return { ...size, ...measureHeader(header.value) };
}

const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];

/** `5.0 GiB`, as upstream writes `status.size`; messages have quantities of Kubernetes. */
export function formatSize(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (value >= 1024 && unit < units.length - 1) [value, unit] = [value / 1024, unit + 1];
  return unit === 0 ? `${value} B` : `${value.toFixed(1)} ${units[unit]}`;
}

function ggufOf(header: ObservedHeader): FileFacts["gguf"] {
  return header.format === "gguf" && header.version >= oldestVersion ? { ...summarizeGguf(header) } : undefined;
}

type ObservedHeader = Extract<NonNullable<ObservedModel["header"]>, { is: "known" }>["value"];

/** Files of version 1 have other counts, and engines have stopped to read them. */
const oldestVersion = 2;

/** Why engines will not read the file, where its header tells. */
export function faultOfFile({ header }: { readonly header?: ObservedModel["header"] | undefined }): string | undefined {
  if (header?.is !== "known") return undefined;
  const { value } = header;
  if (value.format === "broken") return value.why;
  if (value.format === "gguf" && value.version < oldestVersion)
    return `it has GGUF version ${value.version}, which engines no longer support`;
  return undefined;
}

/** Why nothing is known of a file that somewhere else has. */
export function blindnessOf({ head, header, listing }: ObservedModel, file: FileFacts): string | undefined {
  if (file.gguf || file.size) return undefined;
  if (head?.is === "unreachable") return head.why;
  if (listing?.is === "unreachable") return listing.why;
  return header?.is === "unreachable" ? header.why : undefined;
}

/** What is known from before of the same files. */
function rememberedFile({ spec, status }: Model): FileFacts {
  const files = planFileSet(spec);
  const staged = files.is === "staged" ? files.files : [];
  const isSame = status?.cacheKey === cacheKeyOf(spec) && deepEqual(status.stagedFiles ?? [], [...staged]);
  if (!isSame) return {};
  const { gguf, size, weights } = status;
  return { ...(gguf ? { gguf } : {}), ...(size ? { size } : {}), ...(weights ? { weights } : {}) };
}
