export { emitAutoscaler } from "./autoscaler.ts";
export { emitClaim } from "./claim.ts";
export { emitDeployment } from "./deployment.ts";
export { emitService } from "./service.ts";
