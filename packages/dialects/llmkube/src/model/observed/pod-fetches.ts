import { type LogPlace, logOnce, logTail } from "@trivium/domain";
import { lastLogLine, summarizePod } from "@trivium/engines";
import { Pod } from "@trivium/kube";
import type { Reader } from "@trivium/reconcile";
import type { Fact } from "@trivium/std";
import type { Model } from "../../kinds/model.ts";
import { modelLabel } from "../../names.ts";
import type { FileSet } from "../../weights/file-set.ts";
import { weightsRequest } from "../../weights/weights-uri.ts";

/** What came of one pod's download, or comparison, of the weights as the Model describes them now. */
export interface ObservedFetch {
  readonly pod: string;
  readonly state: "waiting" | "running" | "failed" | "done";
  readonly exitCode?: number;
  /** The pod is ready: its engine reads the weights. */
  readonly isServing?: true;
  /** The claim that it downloads to. */
  readonly claim?: string;
  /** Why it failed, in one sentence. */
  readonly message?: string;
  /** The end of its log; asked of one that runs and of one that is done. */
  readonly log?: Fact<string>;
}

/** Pods of services that use the Model as their main one. Pods that fetch something else, or compare with another digest, prove nothing. */
export function observeFetches(model: Model, files: FileSet, reader: Reader<typeof Pod>): ObservedFetch[] {
  const { namespace, name = "" } = model.metadata;
  const pods = reader.list(Pod, { namespace, labels: { [modelLabel]: name } });
  const fetches = pods
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .flatMap((pod) => fetchOf(pod, containerFor(pod, model, files)) ?? [])
    .sort((a, b) => (a.observed.pod < b.observed.pod ? -1 : 1));
  const heard = (["running", "done"] as const).map((state) => fetches.find(({ observed }) => observed.state === state));
  return fetches.map((fetch) =>
    heard.includes(fetch) ? { ...fetch.observed, log: askLog(fetch, reader) } : fetch.observed,
  );
}

type Container = NonNullable<NonNullable<Pod["spec"]>["initContainers"]>[number];

function containerFor({ spec }: Pod, model: Model, files: FileSet): Container | undefined {
  const { uri, include } = weightsRequest(model, files);
  const digest = model.spec.sha256?.toLowerCase();
  return spec?.initContainers?.find(({ args = [] }) => {
    const isMeant = args[0] === "fetch" ? args[1] === uri : args[0] === "verify" && digest !== undefined;
    const sameDigest = digest === undefined ? !args.includes("--sha256") : args.includes(digest);
    return isMeant && sameDigest && include.every((file) => args.includes(file));
  });
}

interface Fetch {
  readonly observed: ObservedFetch;
  readonly place: LogPlace;
}

function fetchOf(pod: Pod, container: Container | undefined): Fetch | undefined {
  const { name, containers, isReady } = summarizePod(pod, "");
  const found = containers.find((one) => one.name === container?.name);
  if (found === undefined) return undefined;
  const { state, lastEnd, restarts } = found;
  const place = { namespace: pod.metadata.namespace ?? "", pod: name, container: found.name, restarts, lines: 5 };
  const end = state.is === "ended" ? state : lastEnd;
  if (state.is === "ended" && state.exitCode === 0)
    return { observed: { pod: name, state: "done", ...(isReady ? { isServing: true } : {}) }, place };
  // What ended unseen went down with its node.
  const hasFailed = end !== undefined && end.exitCode !== 0 && end.reason !== "Unknown";
  if (hasFailed && (state.is !== "running" || isPermanent(end.exitCode))) {
    const { exitCode } = end;
    const message = lastLogLine(end.message);
    return { observed: { pod: name, state: "failed", exitCode, message, ...claimOf(pod, container) }, place };
  }
  return { observed: { pod: name, state: state.is === "running" ? "running" : "waiting" }, place };
}

/** The claim behind the first volume that the container mounts. */
function claimOf({ spec }: Pod, container: Container | undefined): Pick<ObservedFetch, "claim"> {
  const mounted = new Set(container?.volumeMounts?.map(({ name }) => name));
  const claims = (spec?.volumes ?? []).flatMap(({ name, persistentVolumeClaim: claim }) =>
    claim !== undefined && mounted.has(name) ? [claim.claimName] : [],
  );
  return claims[0] === undefined ? {} : { claim: claims[0] };
}

/** Exit codes of `trivium-weights` that another try does not change: refused, not found, not allowed, other bytes. */
export const isPermanent = (exitCode: number | undefined): boolean =>
  exitCode !== undefined && [2, 3, 4, 5].includes(exitCode);

const askLog = ({ observed, place }: Fetch, reader: Reader<typeof Pod>): Fact<string> =>
  reader.ask(observed.state === "running" ? logTail : logOnce, place);
