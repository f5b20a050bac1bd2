export { LeaderWorkerSet } from "../generated/neighbours.ts";
