import type { RouteFilter } from "@trivium/engines";
import type { Dispatcher } from "undici";
import type { Target } from "../upstream/target.ts";
import type { Outgoing } from "./forward.ts";

type Mirror = NonNullable<RouteFilter["requestMirror"]>;

/** Sends a copy whose answer nobody waits for. Where there is no replica there is no copy. */
export function mirror(filter: Mirror, target: Target, outgoing: Outgoing, random: () => number): void {
  if (random() >= shareOf(filter)) return;
  const upstream = target.pick(random);
  if (upstream === undefined) return;
  const { method, path, headers, body } = outgoing;
  let isOver = false;
  const over = (): void => {
    if (!isOver) upstream.release();
    isOver = true;
  };
  const request = { method: method as Dispatcher.HttpMethod, path, headers, body };
  upstream.pool.dispatch(request, {
    onResponseData() {},
    onResponseEnd: over,
    onResponseError: over,
    onRequestStart() {},
  });
}

function shareOf({ percent, fraction }: Mirror): number {
  if (fraction !== undefined) return fraction.numerator / (fraction.denominator ?? 100);
  return percent === undefined ? 1 : percent / 100;
}
