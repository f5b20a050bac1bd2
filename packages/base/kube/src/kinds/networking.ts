export { EndpointSlice, Ingress, IngressClass, NetworkPolicy } from "../generated/kinds.ts";
