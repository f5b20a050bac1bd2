export { KnativeService } from "../generated/neighbours.ts";
