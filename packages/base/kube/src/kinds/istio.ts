export { VirtualService } from "../generated/third-party.ts";
