import { gadgets } from "../fixtures.ts";
import { type Sequence, sequence } from "../sequence.ts";
import { deploymentSpec, deployments, maps, serviceSpec, services } from "./kinds.ts";

export const dryRuns: Sequence[] = [
  sequence("dry run/create", maps.create("a", { data: { a: "1" } }, "dryRun=All"), maps.get("a")),
  sequence(
    "dry run/generateName",
    maps.post({ apiVersion: "v1", kind: "ConfigMap", metadata: { generateName: "g-" } }, "dryRun=All"),
  ),
  sequence(
    "dry run/update and delete",
    maps.create("a"),
    maps.put("a", { data: { a: "1" } }, "dryRun=All"),
    maps.remove("a", undefined, "dryRun=All"),
    maps.remove("a", { dryRun: ["All"] }),
    maps.get("a"),
  ),
  sequence(
    "dry run/delete collection",
    maps.create("a"),
    maps.removeAll("dryRun=All&fieldSelector=metadata.name%3Da"),
    maps.get("a"),
  ),
  sequence(
    "dry run/faults",
    maps.create("a", {}, "dryRun=Nope"),
    maps.create("a", {}, "dryRun=All&dryRun=Nope"),
    maps.create("a", {}, "dryRun="),
    maps.remove("a", { dryRun: ["Nope"] }),
  ),
  sequence(
    "dry run/service address",
    services.create("a", { spec: serviceSpec }, "dryRun=All"),
    services.create("b", { spec: { ...serviceSpec, type: "NodePort" } }, "dryRun=All"),
  ),
  sequence("dry run/custom", gadgets.create("a", { spec: { size: 1 } }, "dryRun=All"), gadgets.get("a")),
  sequence(
    "dry run/status and scale",
    deployments.create("a", { spec: deploymentSpec }),
    deployments.merge("a/scale", { spec: { replicas: 9 } }, "dryRun=All"),
    deployments.merge("a/status", { status: { replicas: 9 } }, "dryRun=All"),
    deployments.get("a"),
  ),
];
