export type { AgentSettings } from "./agent-settings.ts";
export {
  type Configuration,
  configurationName,
  type KedaSettings,
  type MetricsSettings,
  readConfiguration,
} from "./configuration.ts";
export { type IngressSettings, ingressDefaults } from "./ingress-settings.ts";
export { given } from "./json-fields.ts";
export { observeConfiguration } from "./observe.ts";
