import { type Backend, formatBackend } from "@trivium/domain";
import { controllerOf, type Service } from "@trivium/kube";
import { annotationOf } from "../annotations.ts";
import type { ClusterView } from "../cluster/view.ts";
import { Target } from "./target.ts";
import { Upstream, type UpstreamOptions } from "./upstream.ts";

/** All backends that were ever asked for and still exist, kept in step with the cluster. */
export class Targets {
  readonly #view: ClusterView;
  readonly #options: UpstreamOptions;
  readonly #targets = new Map<string, Target>();
  readonly #upstreams = new Map<string, Upstream>();

  constructor(view: ClusterView, options: UpstreamOptions) {
    this.#view = view;
    this.#options = options;
    view.onChange(() => this.#refreshAll());
  }

  of(backend: Backend): Target {
    const key = formatBackend(backend);
    const known = this.#targets.get(key);
    if (known !== undefined) return known;
    const target = new Target(backend);
    this.#targets.set(key, target);
    this.#refresh(target);
    return target;
  }

  all(): Iterable<Target> {
    return this.#targets.values();
  }

  destroy(): void {
    for (const upstream of this.#upstreams.values()) upstream.destroy();
  }

  #refreshAll(): void {
    for (const target of this.#targets.values()) this.#refresh(target);
    const wanted = new Set([...this.#targets.values()].flatMap(({ upstreams }) => upstreams));
    for (const [authority, upstream] of this.#upstreams) {
      if (wanted.has(upstream)) continue;
      this.#upstreams.delete(authority);
      upstream.retire();
    }
  }

  #refresh(target: Target): void {
    const service = this.#view.service(target.backend);
    if (service === undefined && target.requests === 0) this.#targets.delete(target.key);
    target.title = titleOf(service) ?? target.name;
    target.hasAffinity = annotationOf(service, "balance") === "prefix";
    target.upstreams = this.#view.replicas(target.backend).map(({ authority }) => this.#upstream(authority));
  }

  #upstream(authority: string): Upstream {
    const known = this.#upstreams.get(authority);
    if (known !== undefined) return known;
    const upstream = new Upstream(authority, this.#options);
    this.#upstreams.set(authority, upstream);
    return upstream;
  }
}

/** Users know what they applied, not the Service that it owns. */
function titleOf(service: Service | undefined): string | undefined {
  const owner = service && controllerOf(service);
  return owner && `${owner.kind} ${service.metadata.namespace}/${owner.name}`;
}
