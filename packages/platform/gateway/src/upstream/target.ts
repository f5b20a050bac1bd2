import { type Backend, formatBackend } from "@trivium/domain";
import { pickByPrefix, pickLeastLoaded } from "@trivium/engines";
import type { Instant } from "@trivium/std";
import type { Upstream } from "./upstream.ts";

export interface Request {
  /** How the request begins, where requests that begin alike are to go to the same replica. */
  readonly prefix?: string | undefined;
  /** Replicas that were tried already. */
  readonly tried?: ReadonlySet<Upstream> | undefined;
}

/** A backend that requests go to: its replicas, and what is under way. */
export class Target {
  readonly backend: Backend;
  readonly key: string;
  /** `namespace/service`, the label of its metrics. */
  readonly name: string;
  /** What people call it: the object that owns its Service, such as `AIMService default/chat`, else its name. */
  title: string;
  upstreams: readonly Upstream[] = [];
  /** Whether a request is sent to where its beginning is known. */
  hasAffinity = false;
  /** Being put to zero: its replicas are still there, and must get no more requests. */
  isClosing = false;
  /** Requests that are held or in flight. */
  requests = 0;
  /** Copies of requests to other backends that are in flight. */
  mirrors = 0;
  lastUsed: Instant | undefined;
  /** Called once when the last request has ended. */
  onQuiet: (() => void) | undefined;

  constructor(backend: Backend) {
    this.backend = backend;
    this.key = formatBackend(backend);
    this.name = `${backend.namespace}/${backend.service}`;
    this.title = this.name;
  }

  begin(): void {
    this.requests += 1;
  }

  end(now: Instant): void {
    this.requests -= 1;
    this.lastUsed = now;
    if (this.requests > 0 || this.onQuiet === undefined) return;
    const { onQuiet } = this;
    this.onQuiet = undefined;
    onQuiet();
  }

  /** Reserves a replica. Those that failed lately are avoided while there are others. */
  pick(random: () => number, { prefix, tried }: Request = {}): Upstream | undefined {
    const [only] = this.upstreams;
    if (only === undefined || this.isClosing) return undefined;
    if (this.upstreams.length === 1) return tried?.has(only) ? undefined : only.reserve();
    const untried = tried === undefined ? this.upstreams : this.upstreams.filter((upstream) => !tried.has(upstream));
    const sound = untried.filter((upstream) => !upstream.isBanned);
    const candidates = sound.length > 0 ? sound : untried;
    const preferred = prefix === undefined ? undefined : pickByPrefix(candidates, prefix);
    return (preferred ?? pickLeastLoaded(candidates, random))?.reserve();
  }
}
