import { deploymentModeAnnotation } from "../names.ts";
import type { ComponentName, ComponentSpec, ComponentSpecs } from "./component.ts";

export type DeploymentMode = "RawDeployment" | "Serverless" | "MultiNode" | "MultiNodeRayVLLM" | "VirtualDeployment";

const modes: readonly string[] = ["RawDeployment", "Serverless", "MultiNode", "MultiNodeRayVLLM", "VirtualDeployment"];

/** A mode that an annotation names; nothing for other texts. */
export function parseMode(annotations: Readonly<Record<string, string>> | undefined): DeploymentMode | undefined {
  const text = annotations?.[deploymentModeAnnotation] ?? "";
  return modes.includes(text) ? (text as DeploymentMode) : undefined;
}

/** In which shape each component runs. A decoder never goes to sleep, and neither does an engine that feeds one. */
export function decideModes(specs: ComponentSpecs): Partial<Record<ComponentName, DeploymentMode>> {
  const { engine, decoder, router } = specs;
  const found: Partial<Record<ComponentName, DeploymentMode>> = {};
  if (engine !== undefined) {
    const mode = parseMode(engine.annotations) ?? shapeOf(engine);
    found.engine = decoder !== undefined && mode === "Serverless" ? "RawDeployment" : mode;
  }
  if (decoder !== undefined) found.decoder = isGroup(decoder) ? "MultiNode" : "RawDeployment";
  if (router !== undefined) found.router = router.minReplicas === 0 ? "Serverless" : "RawDeployment";
  return found;
}

function shapeOf(spec: ComponentSpec): DeploymentMode {
  if (isGroup(spec)) return "MultiNode";
  return spec.minReplicas === 0 ? "Serverless" : "RawDeployment";
}

const isGroup = ({ leader, worker }: ComponentSpec): boolean => leader !== undefined || worker !== undefined;
