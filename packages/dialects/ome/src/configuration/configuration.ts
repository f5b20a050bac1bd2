import type { InferenceService } from "../kinds/inference-service.ts";
import { type AgentSettings, readAgent } from "./agent-settings.ts";
import { type IngressSettings, readIngress } from "./ingress-settings.ts";
import { FaultyKey, given, JsonFields } from "./json-fields.ts";

/** The ConfigMap in the operator's namespace by which an administrator decides for all services. */
export const configurationName = "inferenceservice-config";

export type KedaSettings = NonNullable<InferenceService["spec"]["kedaConfig"]>;

/** What the ConfigMap says, key by key; each key holds one JSON document, and one that is missing says nothing. */
export interface Configuration {
  readonly ingress?: Partial<IngressSettings>;
  readonly deploy?: DeploySettings;
  readonly metrics?: MetricsSettings;
  readonly modelInit?: AgentSettings;
  readonly fineTunedAdapter?: AgentSettings;
  readonly servingSidecar?: AgentSettings;
  readonly keda?: KedaSettings;
  /** Keys that cannot be used, each with the reason. They are as if they were not there, except where that would remove something. */
  readonly faults: Readonly<Record<string, string>>;
}

export interface DeploySettings {
  readonly defaultMode: "RawDeployment" | "Serverless";
}

/** What pods are annotated with when they do not say it themselves. */
export interface MetricsSettings {
  readonly aggregation: "true" | "false";
  readonly scraping: "true" | "false";
}

const readers: Readonly<Record<string, (fields: JsonFields) => Partial<Configuration>>> = {
  ingress: (fields) => ({ ingress: readIngress(fields) }),
  deploy: (fields) => ({ deploy: readDeploy(fields) }),
  metricsAggregator: (fields) => ({ metrics: readMetrics(fields) }),
  modelInit: (fields) => ({ modelInit: readAgent(fields) }),
  fineTunedAdapter: (fields) => ({ fineTunedAdapter: readAgent(fields) }),
  servingSidecar: (fields) => ({ servingSidecar: readAgent(fields) }),
  kedaConfig: (fields) => ({ keda: readKeda(fields) }),
};

/** Total: whatever stands there, what can be used is used and what cannot is named. */
export function readConfiguration(data: Readonly<Record<string, string>>): Configuration {
  let read: Partial<Configuration> = {};
  const faults: Record<string, string> = {};
  for (const [key, reader] of Object.entries(readers)) {
    const text = Object.hasOwn(data, key) ? data[key] : undefined;
    if (text === undefined || text.trim() === "") continue;
    try {
      read = { ...read, ...reader(new JsonFields(text)) };
    } catch (error) {
      if (!(error instanceof FaultyKey)) throw error;
      faults[key] = `ConfigMap ${configurationName}, key ${key}: ${error.message}`;
    }
  }
  return { ...read, faults };
}

function readDeploy(fields: JsonFields): DeploySettings {
  return { defaultMode: fields.oneOf("defaultDeploymentMode", ["RawDeployment", "Serverless"]) ?? "RawDeployment" };
}

function readMetrics(fields: JsonFields): MetricsSettings {
  const word = (field: string) => (fields.flag(field) === true ? "true" : "false");
  return { aggregation: word("enableMetricAggregation"), scraping: word("enablePrometheusScraping") };
}

function readKeda(fields: JsonFields): KedaSettings {
  const login = fields.object("authenticationRef");
  const isLogin = login !== undefined && typeof login.name === "string" && login.name !== "";
  if (login !== undefined && !isLogin) throw new FaultyKey("authenticationRef must have a name");
  const kinds = ["TriggerAuthentication", "ClusterTriggerAuthentication"] as const;
  const authenticationRef = isLogin
    ? { name: login.name as string, kind: kinds.find((kind) => kind === login.kind) ?? kinds[0] }
    : undefined;
  return given<KedaSettings>({
    enableKeda: fields.flag("enableKeda"),
    promServerAddress: fields.text("promServerAddress"),
    customPromQuery: fields.text("customPromQuery"),
    scalingThreshold: fields.text("scalingThreshold"),
    scalingOperator: fields.text("scalingOperator"),
    authenticationRef,
    authModes: fields.text("authModes"),
  });
}
