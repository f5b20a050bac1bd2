export {
  DeviceClass,
  Lease,
  PriorityClass,
  ResourceClaim,
  ResourceClaimTemplate,
  RuntimeClass,
} from "../generated/kinds.ts";
