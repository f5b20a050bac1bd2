export { ScaledObject, TriggerAuthentication } from "../generated/neighbours.ts";
