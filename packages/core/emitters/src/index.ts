export { emitAutoscaler } from "./autoscaler.ts";
export { emitClaim } from "./claim.ts";
export { emitDeployment } from "./deployment.ts";
export { emitHttpRoute } from "./http-route.ts";
export { emitJob } from "./job.ts";
export { emitInferenceService } from "./kserve.ts";
export { emitService } from "./service.ts";
export { emitStatefulSet } from "./stateful-set.ts";
