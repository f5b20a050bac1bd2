import type { TemplateSeen } from "./seen.ts";

/** What a template says of itself, whichever of its spellings and places says it. */
export const modelNameOf = ({ spec }: TemplateSeen): string => spec.modelName ?? spec.aimImageName ?? "";
export const stateOf = ({ status }: TemplateSeen): string => (status?.status as string | undefined) ?? "Pending";
/** Older objects say `Available`. */
export const isReady = (template: TemplateSeen): boolean => ["Ready", "Available"].includes(stateOf(template));
export const metricOf = ({ spec, status }: TemplateSeen): string | undefined =>
  status?.profile?.metadata?.metric ?? spec.metric;
export const precisionOf = ({ spec, status }: TemplateSeen): string | undefined =>
  status?.profile?.metadata?.precision ?? spec.precision;
export const profileTypeOf = ({ spec, status }: TemplateSeen): string | undefined =>
  status?.profile?.metadata?.type ?? spec.type;

/** GPU models that will do; none means that any does, or that none is needed. */
export function gpuModelsOf({ spec, status }: TemplateSeen): string[] {
  const { models = [], model } = spec.hardware?.gpu ?? {};
  const said = [spec.gpuSelector?.model, model, ...models].filter((one): one is string => !!one);
  const found = status?.profile?.metadata?.gpu;
  return said.length > 0 || !found ? said : [found];
}

/** GPUs of one replica. What discovery found out counts before what was asked for. */
export function gpuCountOf({ spec, status }: TemplateSeen): number {
  const found = status?.resolvedHardware?.gpu?.requests ?? status?.profile?.metadata?.gpuCount;
  return found ?? spec.gpuSelector?.count ?? spec.hardware?.gpu?.requests ?? 0;
}

export const gpuResourceOf = ({ spec, status }: TemplateSeen): string =>
  spec.gpuSelector?.resourceName ??
  spec.hardware?.gpu?.resourceName ??
  status?.resolvedHardware?.gpu?.resourceName ??
  "amd.com/gpu";

/** Uppercase, and without the words of the vendor around it. */
export function plainGpu(name: string): string {
  const tokens = name
    .toUpperCase()
    .replaceAll("_", "-")
    .split(/[-\s/:]+/);
  const named = tokens.filter((token) => !["AMD", "INSTINCT", "RADEON", "NVIDIA", ""].includes(token));
  return named.find((token) => /[A-Z]/.test(token) && /\d/.test(token)) ?? named[0] ?? "";
}
