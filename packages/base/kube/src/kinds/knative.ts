export { KnativeService } from "../generated/third-party.ts";
