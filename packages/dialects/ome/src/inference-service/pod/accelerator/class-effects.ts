import type { api } from "@trivium/kube";
import { type AcceleratedComponent, type ChosenClass, resourcesOf } from "../../../accelerators/index.ts";
import type { InferenceService } from "../../../kinds/inference-service.ts";

/** What an accelerator class does to the pods of a component. What the service itself says of it wins. */
export interface ClassEffects {
  readonly nodeSelector: Readonly<Record<string, string>>;
  readonly affinity?: api.Affinity | undefined;
  /** Requests and limits. */
  readonly resources: Readonly<Record<string, string>>;
}

export function effectsOf(
  { spec }: InferenceService,
  component: AcceleratedComponent,
  chosen: ChosenClass | undefined,
): ClassEffects {
  const own = spec[component];
  const { nodeSelector = {}, affinity } = chosen?.found?.spec.discovery ?? {};
  const free = Object.entries(nodeSelector).filter(([key]) => own?.nodeSelector?.[key] === undefined);
  const runners = [own?.runner, own?.leader?.runner, own?.worker?.runner];
  const hasResources = runners.some((runner) =>
    Object.values(runner?.resources ?? {}).some((one) => one !== undefined),
  );
  return {
    nodeSelector: Object.fromEntries(free),
    ...(affinity === undefined || own?.affinity !== undefined ? {} : { affinity }),
    resources: hasResources ? {} : resourcesOf(chosen?.found),
  };
}
