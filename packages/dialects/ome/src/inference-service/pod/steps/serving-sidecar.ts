import type { api } from "@trivium/kube";
import { agentVariables, emptyFolder, requireSettings, resourcesOf, withIdentity } from "./agent-container.ts";
import { addNew, type PodStep, PodStepRefusal } from "./pod-step.ts";

const name = "serving-sidecar";
const download = "/mnt/finetuned/download";
/** The folder of the shared volume that holds unpacked weights. */
const subPath = "finetuned";

/** A container beside the one that serves brings and removes weights while it runs. */
export const addSidecar: PodStep = (pod, context) => {
  if (pod.annotations["ome.io/inject-serving-sidecar"] !== "true" || context.component === "router") return pod;
  if (pod.spec.containers.some((one) => one.name === name)) return pod;
  const settings = requireSettings(context.configuration?.servingSidecar, "servingSidecar", [
    "compartmentId",
    "authType",
  ]);
  const strategy = pod.annotations["ome.io/fine-tuned-weight-ft-strategy"];
  if (!strategy || !/^[a-z0-9-]{1,63}$/i.test(strategy))
    throw new PodStepRefusal(
      "a serving sidecar requires the annotation ome.io/fine-tuned-weight-ft-strategy (expected e.g. lora)",
    );
  const target = `/opt/ml/${strategy}`;
  const resources = resourcesOf(settings);
  const securityContext = pod.spec.containers.find((one) => one.name === context.main)?.securityContext;
  const container: api.Container = {
    name,
    image: settings.image,
    args: ["serving-agent", "--config", "/ome-agent.yaml", "--debug"],
    env: agentVariables({
      AUTH_TYPE: settings.authType,
      COMPARTMENT_ID: settings.compartmentId,
      REGION: settings.region,
      UNZIPPED_FINE_TUNED_WEIGHT_DIRECTORY: target,
      ZIPPED_FINE_TUNED_WEIGHT_DIRECTORY: download,
      FINE_TUNED_WEIGHT_INFO_FILE_PATH: `${target}/weights.json`,
    }),
    volumeMounts: [
      { name: emptyFolder.name, mountPath: download, subPath: "download" },
      { name: emptyFolder.name, mountPath: target, subPath },
    ],
    terminationMessagePolicy: "FallbackToLogsOnError",
    ...(securityContext === undefined ? {} : { securityContext }),
    ...(resources === undefined ? {} : { resources }),
  };
  const { spec } = pod;
  const served = spec.containers.map((one) =>
    one.name === context.main && one.volumeMounts?.some(({ mountPath }) => mountPath === target) !== true
      ? {
          ...one,
          volumeMounts: [
            ...(one.volumeMounts ?? []),
            { name: emptyFolder.name, mountPath: target, subPath, readOnly: true },
          ],
        }
      : one,
  );
  const containers = [...served, container];
  return withIdentity(
    { ...pod, spec: { ...spec, containers, volumes: addNew(spec.volumes, [emptyFolder]) } },
    settings,
  );
};
