export { debianPackages, type Packages, programOf } from "./debian.ts";
export { type RegistryOptions, startRegistry } from "./docker-registry.ts";
export { type NginxOptions, startNginx } from "./nginx.ts";
export { type Prometheus, startPrometheus } from "./prometheus.ts";
export { pythonPackages } from "./python.ts";
export { startRedis } from "./redis.ts";
export { freePort, type Service, type ServicePlan, startService } from "./service.ts";
