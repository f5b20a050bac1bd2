export { OpenTelemetryCollector, PodMonitor, ServiceMonitor } from "../generated/neighbours.ts";
