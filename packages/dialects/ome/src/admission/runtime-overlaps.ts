import { canonicalJson, type Json } from "@trivium/std";
import type { ServingRuntime } from "../kinds/serving-runtime.ts";

type Spec = ServingRuntime["spec"];

/** Other runtimes that serve exactly the same with the same priority, so that only their names decide. That is allowed. */
export function warningsOfOverlaps(runtime: ServingRuntime, others: readonly ServingRuntime[]): string[] {
  if (runtime.spec.disabled === true) return [];
  const own = new Set(entriesOf(runtime.spec));
  return others
    .filter(({ metadata, spec }) => metadata.name !== runtime.metadata.name && spec.disabled !== true)
    .filter(({ spec }) => sharesProtocol(spec, runtime.spec) && entriesOf(spec).some((entry) => own.has(entry)))
    .map(({ metadata }) => {
      const what = `runtime ${metadata.name} serves the same models with the same priority`;
      return `${what}; the first of them in alphabetical order is selected`;
    });
}

/** Every entry that may be chosen and says how much it is preferred, as a text that is equal where they are. */
function entriesOf({ supportedModelFormats, modelSizeRange }: Spec): string[] {
  return supportedModelFormats
    .filter(({ autoSelect, priority }) => autoSelect === true && priority !== undefined)
    .map(({ name, version, quantization, modelFramework, modelFormat, modelArchitecture, priority }) =>
      canonicalJson({
        name: (name ?? modelFormat.name).toLowerCase(),
        version: version ?? null,
        quantization: quantization ?? null,
        modelFramework: modelFramework as unknown as Json,
        modelFormat: modelFormat as unknown as Json,
        modelArchitecture: modelArchitecture ?? null,
        range: (modelSizeRange ?? null) as Json,
        priority: priority ?? null,
      }),
    );
}

function sharesProtocol(one: Spec, other: Spec): boolean {
  const [own, theirs] = [one.protocolVersions ?? [], other.protocolVersions ?? []];
  return own.length === 0 || theirs.length === 0 || own.some((protocol) => theirs.includes(protocol));
}
