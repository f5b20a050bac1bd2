export { debianPackages, type Packages, programOf, searchPathOf } from "./debian.ts";
export { type RegistryOptions, startRegistry } from "./docker-registry.ts";
export { type LlamaServer, llamaServer } from "./llama-server.ts";
export { type NginxOptions, startNginx } from "./nginx.ts";
export { type Podman, preparePodman } from "./podman.ts";
export { type Prometheus, startPrometheus } from "./prometheus.ts";
export { pythonPackages } from "./python.ts";
export { startRedis } from "./redis.ts";
export { freePort, type Service, type ServicePlan, startService } from "./service.ts";
