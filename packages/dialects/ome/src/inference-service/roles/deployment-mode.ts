import { deploymentModeAnnotation } from "../../names.ts";
import { type ComponentName, type ComponentSpec, type ComponentSpecs, componentNames } from "./component.ts";

export type DeploymentMode = "RawDeployment" | "Serverless" | "MultiNode" | "MultiNodeRayVLLM" | "VirtualDeployment";

const modes: readonly string[] = ["RawDeployment", "Serverless", "MultiNode", "MultiNodeRayVLLM", "VirtualDeployment"];

type Texts = Readonly<Record<string, string>> | undefined;

/** A mode that an annotation names; nothing for other texts. */
export function parseMode(annotations: Texts): DeploymentMode | undefined {
  const text = annotations?.[deploymentModeAnnotation] ?? "";
  return modes.includes(text) ? (text as DeploymentMode) : undefined;
}

type Modes<M extends DeploymentMode = DeploymentMode> = Partial<Record<ComponentName, M>>;

/** In which shape each component should run. A decoder never goes to sleep, and neither does an engine that feeds one. */
export function decideModes(specs: ComponentSpecs, ofService?: DeploymentMode): Modes {
  const { engine, decoder, router } = specs;
  const found: Modes = {};
  if (engine !== undefined) {
    const mode = parseMode(engine.annotations) ?? shapeOf(engine, ofService);
    found.engine = decoder !== undefined && mode === "Serverless" ? "RawDeployment" : mode;
  }
  if (decoder !== undefined) found.decoder = isGroup(decoder) ? "MultiNode" : "RawDeployment";
  if (router !== undefined) found.router = router.minReplicas === 0 ? "Serverless" : "RawDeployment";
  return found;
}

function shapeOf(spec: ComponentSpec, ofService: DeploymentMode | undefined): DeploymentMode {
  if (isGroup(spec)) return "MultiNode";
  return spec.minReplicas === 0 || ofService === "Serverless" ? "Serverless" : "RawDeployment";
}

export const isGroup = ({ leader, worker }: ComponentSpec): boolean => leader !== undefined || worker !== undefined;

/** The shapes that something is made for. */
export type ShapedMode = Exclude<DeploymentMode, "VirtualDeployment">;

export type SettledModes =
  | { readonly is: "settled"; readonly modes: Modes<ShapedMode> }
  | { readonly is: "unable"; readonly note: "DeploymentModeError" | "ServerlessModeRejected"; readonly why: string };

/** What is said of the shape for all components: by the service, and by the whole installation. */
export interface ServiceRequest {
  readonly annotations: Texts;
  readonly defaultMode: DeploymentMode | undefined;
}

/** Whether the API serves what the shapes need. */
export interface InstalledApis {
  readonly hasGroups: boolean;
  readonly hasKnative: boolean;
}

/**
 * What of it can be done here. Who may sleep without having asked for Knative by name runs as a Deployment where there is none: others
 * put that to sleep too.
 */
export function settleModes(
  specs: ComponentSpecs,
  { annotations, defaultMode }: ServiceRequest,
  { hasGroups, hasKnative }: InstalledApis,
): SettledModes {
  const requested = decideModes(specs, parseMode(annotations) ?? defaultMode);
  const settled: Modes<ShapedMode> = {};
  for (const component of componentNames) {
    const mode = requested[component];
    if (mode === undefined) continue;
    if (mode === "Serverless" && !hasKnative) {
      if (component === "engine" && isWrittenServerless(specs.engine, annotations))
        return { is: "unable", note: "ServerlessModeRejected", why: withoutKnative };
      settled[component] = "RawDeployment";
    } else if (mode.startsWith("MultiNode") && !hasGroups) {
      return { is: "unable", note: "DeploymentModeError", why: withoutGroups(component) };
    } else if (mode === "VirtualDeployment") {
      return { is: "unable", note: "DeploymentModeError", why: `${component} ${notVirtual}` };
    } else {
      settled[component] = mode;
    }
  }
  return { is: "settled", modes: settled };
}

const isWrittenServerless = (engine: ComponentSpec | undefined, annotations: Texts): boolean =>
  (parseMode(engine?.annotations) ?? parseMode(annotations)) === "Serverless";

export const withoutKnative =
  "Knative Serving is not installed; install it, or remove the annotation ome.io/deploymentMode: Serverless";

const withoutGroups = (component: ComponentName): string =>
  `${component} spans several nodes, but LeaderWorkerSet is not installed; install it (leaderworkerset.x-k8s.io), or remove leader and worker`;

const notVirtual =
  "cannot be a VirtualDeployment on its own; set the annotation ome.io/deploymentMode on the InferenceService";
