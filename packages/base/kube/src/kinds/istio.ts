export { VirtualService } from "../generated/neighbours.ts";
