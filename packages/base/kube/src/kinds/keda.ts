export { ScaledObject, TriggerAuthentication } from "../generated/third-party.ts";
