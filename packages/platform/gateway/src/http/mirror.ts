import type { RouteFilter } from "@trivium/engines";
import type { Millis } from "@trivium/std";
import type { ResponseControl } from "../upstream/http/connection.ts";
import type { Target } from "../upstream/target.ts";
import type { ForwardParts, Outgoing } from "./forward.ts";

type Mirror = NonNullable<RouteFilter["requestMirror"]>;
type MirrorParts = Pick<ForwardParts, "clock" | "metrics" | "random">;

/** For routes without a timeout: no client waits for a copy, so only a timeout ends one that gets no response. */
const defaultTimeout: Millis = 30_000;
/** Copies in flight to one Service. A slow one must not use up the sockets of the gateway. */
const maxMirrors = 100;

/** Sends a copy and drops its response. There is no copy without a replica, and none beyond the limit. */
export function mirror(filter: Mirror, target: Target, outgoing: Outgoing, parts: MirrorParts) {
  const { clock, metrics, random } = parts;
  if (random() >= shareOf(filter)) return;
  if (target.mirrors >= maxMirrors) return metrics.failed(target.name, "mirror_dropped");
  const upstream = target.pick(random);
  if (upstream === undefined) return;
  target.mirrors += 1;
  let control: ResponseControl | undefined;
  let isLate = false;
  const over = (): void => {
    cancel();
    target.mirrors -= 1;
    upstream.release();
  };
  const cancel = clock.schedule(outgoing.tryTimeout ?? outgoing.timeout ?? defaultTimeout, () => {
    metrics.failed(target.name, "mirror_timeout");
    isLate = true;
    // While it connects it counts as in flight: its socket is open, and has a timeout of its own.
    if (control !== undefined) stop(control);
  });
  const stop = (open: ResponseControl): void => {
    open.abort();
    over();
  };
  const { method, path, headers, body } = outgoing;
  upstream.pool.dispatch(
    { method, path, headers: upstream.addProof(headers), body },
    {
      onRequestStart(started) {
        control = started;
        if (isLate) stop(started);
      },
      onResponseStart() {},
      onResponseData() {},
      onResponseEnd: over,
      onResponseError: over,
    },
  );
}

function shareOf({ percent, fraction }: Mirror): number {
  if (fraction !== undefined) return fraction.numerator / (fraction.denominator ?? 100);
  return percent === undefined ? 1 : percent / 100;
}
