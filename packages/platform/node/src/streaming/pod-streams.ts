import type { PodStreams, PortAddress, RunCommand } from "@trivium/apiserver";
import { type AnyObject, ApiError, type Pod } from "@trivium/kube";
import type { Sandbox } from "../sandbox.ts";
import { portsAnnotation } from "../sandbox-setup/addresses/announce-ports.ts";

/** Ways into the containers of a sandbox, as the embedded API server asks for them. `sandbox` is undefined until the node has started. */
export function podStreamsOf(sandbox: () => Sandbox | undefined): PodStreams {
  return {
    exec: (pod, request) => {
      const place = sandbox();
      if (place?.exec === undefined) throw notServed("exec");
      return place.exec(pod as unknown as Pod, request.container, request) ?? refuseStopped(request.container);
    },
    attach: (pod, { container }) => {
      const place = sandbox();
      if (place?.attach === undefined) throw notServed("attach");
      return place.attach(pod as unknown as Pod, container) ?? refuseStopped(container);
    },
    addressOf,
  };
}

function refuseStopped(container: string): RunCommand {
  throw failure(404, "NotFound", `unable to upgrade connection: container not found (${JSON.stringify(container)})`);
}

const notServed = (what: string): ApiError =>
  failure(501, undefined, `${what} is not available: this node runs no processes`);

function failure(code: number, reason: "NotFound" | undefined, message: string): ApiError {
  const status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, code } as const;
  return new ApiError({ ...status, ...(reason === undefined ? {} : { reason }) });
}

/** A port of the spec may stand for another one of this machine. */
function addressOf({ metadata, status }: AnyObject, port: number): PortAddress | undefined {
  const { podIP: host } = (status ?? {}) as { podIP?: string };
  if (host === undefined) return undefined;
  const moved = parsePorts(metadata.annotations?.[portsAnnotation])[String(port)];
  return { host, port: typeof moved === "number" ? moved : port };
}

/** Anybody may write annotations. */
function parsePorts(text = "{}"): Readonly<Record<string, unknown>> {
  try {
    const ports: unknown = JSON.parse(text);
    return typeof ports === "object" && ports !== null ? (ports as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
