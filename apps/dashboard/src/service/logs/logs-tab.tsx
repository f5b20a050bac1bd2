import { flatten } from "@trivium/explain";
import type { AnyObject, api } from "@trivium/kube";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Explained } from "../../decide/explain-service.ts";
import { Empty, Loading } from "../../parts/empty.tsx";
import { ScrollBox } from "../../parts/scroll-box.tsx";
import { followLog, type LogSource } from "./follow-log.ts";

/** More are not kept: a browser slows down. */
const maxLines = 5_000;

export function LogsTab({ explained }: { readonly explained: Explained | undefined }) {
  const [chosen, setChosen] = useState<string>();
  const [isPrevious, setPrevious] = useState(false);
  if (explained === undefined) return <Loading what="pods" />;
  const { object } = explained.gathered;
  const sources = flatten(explained.gathered.parts)
    .filter(({ kind }) => kind === "Pod")
    .flatMap(containersOf);
  const [first] = sources;
  if (first === undefined)
    return (
      <Empty title="No pods" command={`trivium explain ${object.metadata.name} -n ${object.metadata.namespace}`}>
        The logs of the containers appear here as soon as the service has a pod. This tells why it has none:
      </Empty>
    );
  const keyOf = ({ pod, container }: Container) => `${pod}/${container}`;
  const source = sources.find((one) => keyOf(one) === chosen) ?? first;
  return (
    <section class="card" aria-label="Logs">
      <div class="actions">
        <label>
          Container{" "}
          <select value={keyOf(source)} onChange={({ currentTarget }) => setChosen(currentTarget.value)}>
            {sources.map((one) => (
              <option key={keyOf(one)} value={keyOf(one)}>
                {keyOf(one)}
              </option>
            ))}
          </select>
        </label>
        <label>
          <input
            type="checkbox"
            checked={isPrevious}
            onChange={({ currentTarget }) => setPrevious(currentTarget.checked)}
          />{" "}
          Before the last restart
        </label>
      </div>
      {source.starts === 0 ? (
        <p class="muted" role="status">
          Container {source.container} has not started; its log appears here when it does.
        </p>
      ) : (
        <Log key={`${keyOf(source)} ${source.starts} ${isPrevious}`} source={{ ...source, isPrevious }} />
      )}
    </section>
  );
}

interface Container extends Omit<LogSource, "isPrevious"> {
  /** How often it was started: what runs after a restart writes a new log. */
  readonly starts: number;
}

function containersOf({ metadata, spec, status }: AnyObject): Container[] {
  const { containers = [], initContainers = [] } = (spec ?? {}) as Readonly<
    Record<string, readonly { name: string }[]>
  >;
  const { namespace = "", name = "" } = metadata;
  return [...containers, ...initContainers].map((one) => ({
    ...{ namespace, pod: name, container: one.name },
    starts: countStarts(status as api.PodStatus | undefined, one.name),
  }));
}

function countStarts(status: api.PodStatus | undefined, container: string): number {
  const all = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])];
  const { restartCount = 0, state, lastState } = all.find(({ name }) => name === container) ?? {};
  const isStarted = state?.running ?? state?.terminated ?? lastState?.terminated;
  return isStarted === undefined ? restartCount : restartCount + 1;
}

function Log({ source }: { readonly source: LogSource }) {
  const [lines, setLines] = useState<readonly string[]>([]);
  const [end, setEnd] = useState("");
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const stop = new AbortController();
    void (async () => {
      try {
        for await (const more of followLog(source, stop.signal))
          setLines((before) => [...before, ...more].slice(-maxLines));
        setEnd("End of the log");
      } catch (error) {
        if (!stop.signal.aborted) setEnd(error instanceof Error ? error.message : String(error));
      }
    })();
    return () => stop.abort();
  }, []);
  useEffect(() => {
    const element = box.current;
    const isAtEnd = element !== null && element.scrollHeight - element.scrollTop - element.clientHeight < 200;
    if (isAtEnd) element.scrollTop = element.scrollHeight;
  }, [lines]);
  return (
    <>
      <ScrollBox class="log" box={box} label="Log lines">
        <pre>{lines.join("\n")}</pre>
      </ScrollBox>
      <p class="muted" role="status">
        {end}
      </p>
    </>
  );
}
