import type { api } from "@trivium/kube";
import { type FieldError, forbidden, invalid, required } from "@trivium/schema";
import { invalidFor, nonNegative, oneOf, portNumber, portNumberOrName } from "../checks/values.ts";

const headerName =
  "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')";

/** Liveness and startup decide at the first success; readiness may not outlive its pod. */
export function checkProbe(
  at: string,
  probe: api.Probe | undefined,
  role: "liveness" | "readiness" | "startup",
): FieldError[] {
  if (probe === undefined) return [];
  const grace = probe.terminationGracePeriodSeconds;
  const faults = [
    ...checkAction(at, probe, undefined),
    ...counts.flatMap((field) => nonNegative(`${at}.${field}`, probe[field])),
  ];
  if (grace !== undefined && grace <= 0) {
    faults.push(invalid(`${at}.terminationGracePeriodSeconds`, grace, "must be greater than 0"));
  }
  if (role !== "readiness" && probe.successThreshold !== 1) {
    faults.push(invalid(`${at}.successThreshold`, probe.successThreshold ?? 0, "must be 1"));
  }
  if (role === "readiness" && grace !== undefined) {
    faults.push(invalid(`${at}.terminationGracePeriodSeconds`, grace, "must not be set for readinessProbes"));
  }
  return faults;
}

const counts = [
  "initialDelaySeconds",
  "timeoutSeconds",
  "periodSeconds",
  "successThreshold",
  "failureThreshold",
] as const;

export function checkLifecycle(
  at: string,
  lifecycle: api.Lifecycle | undefined,
  grace: number | undefined,
): FieldError[] {
  return [
    ...(lifecycle?.postStart ? checkAction(`${at}.postStart`, lifecycle.postStart, grace) : []),
    ...(lifecycle?.preStop ? checkAction(`${at}.preStop`, lifecycle.preStop, grace) : []),
  ];
}

type Action = api.LifecycleHandler & Pick<api.Probe, "grpc">;
const kinds = ["exec", "httpGet", "tcpSocket", "grpc", "sleep"] as const;

function checkAction(at: string, action: Action, grace: number | undefined): FieldError[] {
  const [first, ...more] = kinds.filter((kind) => action[kind] !== undefined);
  if (first === undefined) return [required(at, "must specify a handler type")];
  return [
    ...checkKind(`${at}.${first}`, action, grace),
    ...more.map((kind) => forbidden(`${at}.${kind}`, "may not specify more than 1 handler type")),
  ];
}

function checkKind(
  at: string,
  { exec, httpGet, tcpSocket, grpc, sleep }: Action,
  grace: number | undefined,
): FieldError[] {
  if (exec) return (exec.command ?? []).length > 0 ? [] : [required(`${at}.command`)];
  if (httpGet) return checkHttpGet(at, httpGet);
  if (tcpSocket) return portNumberOrName(`${at}.port`, tcpSocket.port ?? 0);
  if (grpc) return portNumber(`${at}.port`, grpc.port);
  if (!sleep || grace === undefined || (sleep.seconds >= 0 && sleep.seconds <= grace)) return [];
  const detail = `must be non-negative and less than terminationGracePeriodSeconds (${grace})`;
  return [invalid(at, sleep.seconds, detail)];
}

function checkHttpGet(at: string, { port, scheme, httpHeaders }: api.HTTPGetAction): FieldError[] {
  return [
    ...portNumberOrName(`${at}.port`, port ?? 0),
    ...oneOf(`${at}.scheme`, scheme, ["HTTP", "HTTPS"]),
    ...(httpHeaders ?? []).flatMap(({ name }) =>
      invalidFor(`${at}.httpHeaders`, name, /^[-A-Za-z0-9]+$/.test(name) ? [] : [headerName]),
    ),
  ];
}
