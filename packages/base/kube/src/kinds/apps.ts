export { ControllerRevision, DaemonSet, Deployment, ReplicaSet, StatefulSet } from "../generated/kinds.ts";
