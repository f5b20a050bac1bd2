export { StorageClass } from "../generated/kinds.ts";
