import type { PodPlan } from "@trivium/domain";
import type { api } from "@trivium/kube";
import { type AgentSettings, configurationName } from "../../../configuration/index.ts";
import { PodStepRefusal } from "./pod-step.ts";

/** In memory, so that what was decrypted never lies on a disk. */
export const emptyFolder: api.Volume = { name: "model-empty-dir", emptyDir: { medium: "Memory" } };
export const modelFolder = "/opt/ml/model";

type Required = "compartmentId" | "authType" | "vaultId";

/** The settings of an agent that annotations ask for; without them it cannot be run. */
export function requireSettings(
  settings: AgentSettings | undefined,
  key: string,
  fields: readonly Required[],
): AgentSettings {
  const missing = settings === undefined ? ["image", ...fields] : fields.filter((field) => !settings[field]);
  if (settings !== undefined && missing.length === 0) return settings;
  throw new PodStepRefusal(`key ${key} of ConfigMap ${configurationName} must set ${missing.join(", ")}; add them`);
}

export function resourcesOf(settings: AgentSettings): api.ResourceRequirements | undefined {
  const { cpuRequest, memoryRequest, cpuLimit, memoryLimit } = settings;
  const requests = sized(cpuRequest, memoryRequest);
  const limits = sized(cpuLimit, memoryLimit);
  if (requests === undefined && limits === undefined) return undefined;
  return { ...(requests === undefined ? {} : { requests }), ...(limits === undefined ? {} : { limits }) };
}

function sized(cpu: string | undefined, memory: string | undefined): Record<string, string> | undefined {
  if (!cpu && !memory) return undefined;
  return { ...(cpu ? { cpu } : {}), ...(memory ? { memory } : {}) };
}

const workloadIdentity = "OkeWorkloadIdentity";

/** Who logs in by the account of the pod needs one, and its token. */
export function withIdentity(pod: PodPlan, { authType }: AgentSettings): PodPlan {
  if (authType !== workloadIdentity) return pod;
  if (!pod.spec.serviceAccountName)
    throw new PodStepRefusal(`authType ${workloadIdentity} requires a serviceAccountName in the pod`);
  return { ...pod, spec: { ...pod.spec, automountServiceAccountToken: true } };
}

/** Variables of the agent; those without a value are left out. */
export function agentVariables(values: Readonly<Record<string, string | undefined>>): api.EnvVar[] {
  return Object.entries(values).flatMap(([name, value]) =>
    value === undefined || value === "" ? [] : [{ name: `OME_AGENT_${name}`, value }],
  );
}
