export { LeaderWorkerSet } from "../generated/third-party.ts";
