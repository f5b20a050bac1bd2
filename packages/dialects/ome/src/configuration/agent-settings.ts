import type { api } from "@trivium/kube";
import { FaultyKey, given, type JsonFields } from "./json-fields.ts";

/** A container that is put into pods beside the one that serves: its image, its size, and how it logs in at the cloud. */
export interface AgentSettings {
  readonly image: string;
  readonly memoryRequest?: string;
  readonly memoryLimit?: string;
  readonly cpuRequest?: string;
  readonly cpuLimit?: string;
  readonly compartmentId?: string;
  readonly authType?: string;
  readonly vaultId?: string;
  readonly region?: string;
  readonly extraEnvVars?: readonly api.EnvVar[];
  readonly extraVolumeMounts?: readonly api.VolumeMount[];
}

/** One of the keys `modelInit`, `fineTunedAdapter` and `servingSidecar`. */
export function readAgent(fields: JsonFields): AgentSettings {
  const image = fields.text("image");
  if (!image) throw new FaultyKey("image must be an image reference");
  const optional = given<Omit<AgentSettings, "image">>({
    memoryRequest: fields.text("memoryRequest"),
    memoryLimit: fields.text("memoryLimit"),
    cpuRequest: fields.text("cpuRequest"),
    cpuLimit: fields.text("cpuLimit"),
    compartmentId: fields.text("compartmentId"),
    authType: fields.text("authType"),
    vaultId: fields.text("vaultId"),
    region: fields.text("region"),
    extraEnvVars: named(fields, "extraEnvVars") as readonly api.EnvVar[] | undefined,
    extraVolumeMounts: named(fields, "extraVolumeMounts") as readonly api.VolumeMount[] | undefined,
  });
  return { image, ...optional };
}

function named(fields: JsonFields, field: string): readonly object[] | undefined {
  const objects = fields.objects(field);
  if (objects?.some(({ name }) => typeof name !== "string" || name === ""))
    throw new FaultyKey(`${field} must be a list of objects with names`);
  return objects;
}
