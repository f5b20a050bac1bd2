import type { ObservedPod } from "@trivium/domain";
import type { api, Pod } from "@trivium/kube";

/** What the probes of the first container that has some ask, and which other ports its spec names. */
export function observeProbes({ spec }: Pod): Pick<ObservedPod, "probes" | "declaredPorts"> {
  const container = spec?.containers.find(
    (one) => one.readinessProbe !== undefined || one.livenessProbe !== undefined || one.startupProbe !== undefined,
  );
  if (container === undefined) return {};
  const { readinessProbe: Readiness, livenessProbe: Liveness, startupProbe: Startup } = container;
  const all = Object.entries({ Readiness, Liveness, Startup });
  const probes = all.flatMap(([kind, probe]) => entryOf(kind, placeOf(probe, container)));
  const ports = all.flatMap(([kind, probe]) => entryOf(kind, otherPorts(probe, container)));
  return {
    ...(probes.length === 0 ? {} : { probes: Object.fromEntries(probes) }),
    ...(ports.length === 0 ? {} : { declaredPorts: Object.fromEntries(ports) }),
  };
}

const entryOf = <T>(kind: string, value: T | undefined): [string, T][] => (value === undefined ? [] : [[kind, value]]);

function placeOf(probe: api.Probe | undefined, container: api.Container): string | undefined {
  const { httpGet, exec } = probe ?? {};
  const port = portOf(probe, container);
  if (httpGet !== undefined) return `${httpGet.path ?? "/"} on port ${port}`;
  if (port !== undefined) return `port ${port}`;
  return exec === undefined ? undefined : `command ${exec.command?.[0] ?? ""}`;
}

function portOf(probe: api.Probe | undefined, { ports = [] }: api.Container): number | string | undefined {
  const asked = probe?.httpGet?.port ?? probe?.tcpSocket?.port ?? probe?.grpc?.port;
  return ports.find(({ name }) => name !== undefined && name === asked)?.containerPort ?? asked;
}

/** Nothing where the probe uses one of them, or the spec names none. */
function otherPorts(probe: api.Probe | undefined, container: api.Container): number[] | undefined {
  const asked = portOf(probe, container);
  const named = [...new Set([...(container.ports ?? []).map((one) => one.containerPort), ...portArguments(container)])];
  return asked === undefined || named.length === 0 || named.some((one) => String(one) === String(asked))
    ? undefined
    : named.sort((a, b) => a - b);
}

/** `--port 8080` and `--port=8080`, as every model server takes it. */
function portArguments({ command = [], args = [] }: api.Container): number[] {
  const words = [...command, ...args];
  return words.flatMap((word, at) => {
    const text = word === "--port" ? words[at + 1] : /^--port=(.*)$/.exec(word)?.[1];
    return text !== undefined && /^\d{1,5}$/.test(text) ? [Number(text)] : [];
  });
}
