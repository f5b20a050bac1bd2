export { OpenTelemetryCollector, PodMonitor, ServiceMonitor } from "../generated/third-party.ts";
