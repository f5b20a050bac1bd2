import { judgeObject } from "../adapters/judge-object.ts";
import { engineOf, type Runtime } from "../inference-service/pod/engines/index.ts";
import type { LoRAAdapter } from "../kinds/lora-adapter.ts";
import type { ObservedAdapter } from "./observe.ts";

/** What an adapter comes to. */
export type LoweredAdapter =
  | {
      readonly is: "refused";
      readonly reason: "ServiceNotFound" | "OtherNamespace" | "RuntimeUnsupported" | "NameTaken" | "InvalidPath";
      readonly message: string;
    }
  | { readonly is: "requested" }
  | { readonly is: "loaded" };

export function lowerAdapter({ metadata, spec }: LoRAAdapter, observed: ObservedAdapter): LoweredAdapter {
  const { name, namespace } = spec.inferenceServiceRef;
  if (namespace !== undefined && namespace !== metadata.namespace) {
    const message = `InferenceService ${namespace}/${name} is in another namespace; create the LoRAAdapter there`;
    return { is: "refused", reason: "OtherNamespace", message };
  }
  const { service, deployment, objects } = observed;
  if (service.is !== "known") {
    const message = `InferenceService ${name} not found; create it, or change spec.inferenceServiceRef`;
    return { is: "refused", reason: "ServiceNotFound", message };
  }
  const { runtime, own, uid } = service.value;
  const engine = engineOf(runtime as Runtime);
  const one = { object: metadata.name ?? "", name: spec.name, path: spec.path };
  const fault = judgeObject(one, { runtime, engine, own, objects });
  if (fault !== undefined) return { is: "refused", ...fault };
  const live = deployment.is === "known" && deployment.value.owner === uid ? deployment.value : undefined;
  const hasIt = live?.args.some((word) => word === spec.path || word === `${spec.name}=${spec.path}`) === true;
  return { is: hasIt && live?.isRolledOut === true ? "loaded" : "requested" };
}
