import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";
import { checkPodSecurity, type KubeObject, type PodSecurityLevel, podSpecsIn } from "@trivium/kube";
import { emitInstallation } from "@trivium/operator";
import { readCases } from "@trivium/testkit";

/** What one saved decision emits. */
interface Emitted {
  readonly path: string;
  readonly dialect: string;
  readonly folder: string;
  readonly child: KubeObject;
}

const dialects = join(import.meta.dirname, "../../../packages/dialects");

const emitted: readonly Emitted[] = globSync("*/src/*/cases", { cwd: dialects })
  .sort()
  .flatMap((folderOfCases) => {
    const [dialect = "", , folder = ""] = folderOfCases.split("/");
    return readCases(join(dialects, folderOfCases)).flatMap(({ path, decision }) =>
      ((decision as { children?: { object: KubeObject }[] } | undefined)?.children ?? []).map(({ object }) => ({
        path,
        dialect,
        folder,
        child: object,
      })),
    );
  });

/** The rules that a child's pods break, without what upstream's fields ask for. */
function brokenBy({ path, dialect, child }: Emitted, level: PodSecurityLevel): string[] {
  if (basename(path) === "w20-rdma.yaml") return [];
  return podSpecsIn(child).flatMap(({ spec }) => {
    // Models that OME keeps on nodes are mounted from there, as upstream does.
    const volumes = spec.volumes?.filter(({ hostPath }) => dialect !== "ome" || !hostPath?.path.startsWith(modelsRoot));
    const rest = volumes === undefined ? spec : { ...spec, volumes };
    return checkPodSecurity(rest, level).map(({ rule }) => `${path}: ${child.kind} ${rule}`);
  });
}

const modelsRoot = "/mnt/data/models/";

test("emitted pods meet baseline unless their spec asks for more", () => {
  const pods = emitted.filter(({ child }) => podSpecsIn(child).length > 0);
  for (const kind of ["Deployment", "StatefulSet", "Job", "LeaderWorkerSet", "InferenceService", "Service"])
    assert.ok(
      pods.some(({ child }) => child.kind === kind),
      `no ${kind} with pods in the saved cases`,
    );
  assert.deepEqual(
    pods.flatMap((one) => brokenBy(one, "baseline")),
    [],
  );
});

test("Jobs that inspect images of AIM meet restricted", () => {
  const jobs = emitted.filter(
    ({ dialect, folder, child }) => `${dialect} ${folder} ${child.kind}` === "aim template Job",
  );
  assert.ok(jobs.length > 0);
  assert.deepEqual(
    jobs.flatMap((one) => brokenBy(one, "restricted")),
    [],
  );
});

test("pods of an installation meet restricted, except that the node agent writes to a folder of the node as root", () => {
  const objects = emitInstallation({ release: "trivium", namespace: "trivium-system", values: {} });
  const broken = (objects as unknown as KubeObject[]).flatMap((object) =>
    podSpecsIn(object).map(({ spec }) => [
      object.metadata.name,
      checkPodSecurity(spec, "restricted").map(({ rule }) => rule),
    ]),
  );
  assert.deepEqual(Object.fromEntries(broken), {
    "trivium-operator": [],
    "trivium-gateway": [],
    "trivium-node-agent": ["restricted volume types", "runAsNonRoot != true", "runAsUser=0"],
  });
});
