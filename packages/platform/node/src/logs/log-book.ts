import type { api, Pod } from "@trivium/kube";
import type { Instant } from "@trivium/std";
import { containersOf } from "../pods/containers.ts";
import type { LogReading } from "./log-reading.ts";
import { defaultLogLimit, LogRun } from "./log-run.ts";

/** Why there is no log to read, with the status that a kubelet answers. */
export class LogRefusal extends Error {
  readonly code: 400 | 404;

  constructor(code: 400 | 404, message: string) {
    super(message);
    this.name = "LogRefusal";
    this.code = code;
  }
}

export interface LogPlace {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly previous: boolean;
}

/** What a pod says of itself, for whoever reads its logs. */
export interface LogSubject {
  statusOf(): api.PodStatus;
  /** The log of a run that is kept elsewhere: in files of the sandbox. */
  logOf?(container: string, id: string): LogReading | undefined;
}

interface PodLog extends LogSubject {
  readonly pod: Pod;
  /** The last two runs of each container: the newest last. */
  readonly runs: Map<string, LogRun[]>;
}

const runsKept = 2;

/** The logs of all pods of this process, on however many nodes they are. Forgets a pod's logs with the pod. */
export class LogBook {
  readonly #now: () => Instant;
  readonly #limit: number;
  readonly #podLogs = new Map<string, PodLog>();

  constructor(now: () => Instant, limit = defaultLogLimit) {
    this.#now = now;
    this.#limit = limit;
  }

  /** From now on there may be logs of this pod. Its status says which of them can be read. */
  register(pod: Pod, subject: LogSubject): void {
    const key = keyOf(pod);
    const known = this.#podLogs.get(key);
    const isSame = known !== undefined && known.pod.metadata.uid === pod.metadata.uid;
    if (known !== undefined && !isSame) this.#close(known);
    this.#podLogs.set(key, { ...subject, pod, runs: isSame ? known.runs : new Map() });
  }

  begin(pod: Pod, container: string, id: string): LogRun {
    const run = new LogRun(id, this.#now, this.#limit);
    const podLog = this.#podLogs.get(keyOf(pod));
    if (podLog === undefined || podLog.pod.metadata.uid !== pod.metadata.uid) return run;
    const runs = podLog.runs.get(container) ?? [];
    podLog.runs.set(container, [...runs, run].slice(-runsKept));
    return run;
  }

  forget(pod: Pod): void {
    const podLog = this.#podLogs.get(keyOf(pod));
    if (podLog === undefined || podLog.pod.metadata.uid !== pod.metadata.uid) return;
    this.#close(podLog);
    this.#podLogs.delete(keyOf(pod));
  }

  /** The run whose log is meant. Throws a `LogRefusal` in the words of a kubelet when there is none. */
  find(place: LogPlace): LogReading {
    const podLog = this.#podLogs.get(`${place.namespace}/${place.pod}`);
    if (podLog === undefined) throw new LogRefusal(404, `pod ${JSON.stringify(place.pod)} does not exist`);
    if (!containersOf(podLog.pod).some(({ container }) => container.name === place.container)) {
      const names = `container ${JSON.stringify(place.container)} not found in pod ${JSON.stringify(place.pod)}`;
      throw new LogRefusal(404, names);
    }
    const id = idOf(podLog.statusOf(), place);
    const kept = podLog.runs.get(place.container)?.findLast((each) => each.id === id);
    const run = kept ?? podLog.logOf?.(place.container, id);
    if (run === undefined) throw new LogRefusal(400, `unable to retrieve container logs for ${id}`);
    return run;
  }

  #close(podLog: PodLog): void {
    for (const runs of podLog.runs.values()) for (const run of runs) run.end();
  }
}

const keyOf = ({ metadata }: Pod): string => `${metadata.namespace}/${metadata.name}`;

const pullFailure: Readonly<Record<string, string>> = {
  ErrImagePull: "image can't be pulled",
  ImagePullBackOff: "trying and failing to pull image",
};

/** Which run is meant depends on the state: one that waits for its restart shows the run before. */
function idOf(status: api.PodStatus, { container, pod, previous }: LogPlace): string {
  const subject = `container ${JSON.stringify(container)} in pod ${JSON.stringify(pod)}`;
  const all = [
    ...(status.containerStatuses ?? []),
    ...(status.initContainerStatuses ?? []),
    ...(status.ephemeralContainerStatuses ?? []),
  ];
  const found = all.find(({ name }) => name === container);
  if (found === undefined) throw new LogRefusal(400, `${subject} is not available`);
  const before = found.lastState?.terminated?.containerID;
  if (previous) {
    if (!before) throw new LogRefusal(400, `previous terminated ${subject} not found`);
    return before;
  }
  const now = found.state?.running === undefined ? found.state?.terminated?.containerID : found.containerID;
  const id = now || before;
  if (id) return id;
  const reason = found.state?.waiting?.reason ?? "";
  const why = pullFailure[reason] ?? reason;
  throw new LogRefusal(400, `${subject} is waiting to start${why === "" ? " - no logs yet" : `: ${why}`}`);
}
