import { repositoryFiles } from "@trivium/domain";
import { type api, Job, type KubeClient, Pod } from "@trivium/kube";
import { formatFileUri, formatTime } from "@trivium/std";
import type { AssumptionContext } from "./context.ts";
import { logKey } from "./played-logs.ts";

/** Ends the Jobs that download weights or ask for their size; false where none is left that can be played. */
export async function playJobs(context: AssumptionContext): Promise<boolean> {
  const { items } = await context.client.list(Job);
  const open = items.filter((job) => !hasEnded(job) && context.isNew(Job, job));
  const played = await Promise.all(open.map((job) => playJob(job, context)));
  return played.some((one) => one);
}

export const hasEnded = ({ status }: Pick<Job, "status">): boolean =>
  (status?.conditions ?? []).some(
    ({ type, status: isSo }) => (type === "Complete" || type === "Failed") && isSo === "True",
  );

async function playJob(job: Job, context: AssumptionContext): Promise<boolean> {
  const output = await outputOf(job, context);
  if (output === undefined) return false;
  const { client, logs, now } = context;
  const { namespace = "", name = "" } = job.metadata;
  const at = formatTime(now);
  const pod = await createPod(client, job, at);
  logs.set(logKey({ namespace, pod }), output);
  const conditions = [
    { type: "SuccessCriteriaMet", status: "True", lastProbeTime: at, lastTransitionTime: at },
    { type: "Complete", status: "True", lastProbeTime: at, lastTransitionTime: at },
  ];
  const status = { conditions, startTime: at, completionTime: at, succeeded: 1, uncountedTerminatedPods: {} };
  await client.patch(Job, { namespace, name }, { type: "merge", body: { status } } as never, { subresource: "status" });
  context.assume(Pod, { namespace, name: pod });
  return true;
}

/** What the Job prints, as far as that can be known before it has run. */
async function outputOf(job: Job, { asked, downloads }: AssumptionContext): Promise<string | undefined> {
  const pod = job.spec?.template.spec;
  const [verb, address = ""] = pod?.containers[0]?.args ?? [];
  const isInspection = verb === "inspect";
  if (verb === "fetch" || (!isInspection && (await downloads(job))))
    return `${JSON.stringify({ event: "done", files: [] })}\n`;
  const uri = isInspection ? sourceUriOf(address, pod) : undefined;
  if (uri === undefined) return undefined;
  const listing = await asked.find(repositoryFiles, { uri });
  if (listing === undefined || "refused" in listing) return undefined;
  return `${JSON.stringify({ files: listing.files.map(({ path, bytes: size }) => ({ path, size })) })}\n`;
}

/** An address of the outside, or a file of a folder of the node. What a claim holds is not known. */
function sourceUriOf(address: string, pod: api.PodSpec | undefined): string | undefined {
  if (address.includes("://")) return address;
  const mounts = pod?.containers[0]?.volumeMounts ?? [];
  const mount = mounts.find(({ mountPath }) => address === mountPath || address.startsWith(`${mountPath}/`));
  const folder = pod?.volumes?.find(({ name }) => name === mount?.name)?.hostPath?.path;
  return folder === undefined || mount === undefined
    ? undefined
    : formatFileUri(`${folder}${address.slice(mount.mountPath.length)}`);
}

async function createPod(client: KubeClient, { metadata, spec }: Job, at: string): Promise<string> {
  const { namespace = "", name = "", uid = "" } = metadata;
  const pod = `${name.slice(0, 57)}-plan`;
  const owner = { apiVersion: "batch/v1", kind: "Job", name, uid, controller: true };
  const labels = { ...spec?.template.metadata?.labels, "batch.kubernetes.io/job-name": name, "job-name": name };
  await client.create(Pod, {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: pod, namespace, labels, ownerReferences: [owner] },
    spec: { restartPolicy: "Never", ...spec?.template.spec },
  } as never);
  const ended = { exitCode: 0, reason: "Completed", startedAt: at, finishedAt: at };
  const containerStatuses = (spec?.template.spec?.containers ?? []).map(({ name: container, image = "" }) => ({
    ...{ name: container, image, imageID: "", ready: false, restartCount: 0, started: false },
    state: { terminated: ended },
  }));
  const body = { status: { phase: "Succeeded", startTime: at, containerStatuses } };
  await client.patch(Pod, { namespace, name: pod }, { type: "merge", body } as never, { subresource: "status" });
  return pod;
}
