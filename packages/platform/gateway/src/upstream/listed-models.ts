import type { Backend } from "@trivium/domain";
import { isObject } from "@trivium/std";
import { aliasesOf, annotationOf } from "../annotations.ts";
import { modelOf, saysHttp } from "../cluster/models.ts";
import type { ClusterView } from "../cluster/view.ts";
import { readText } from "./http/read-text.ts";
import type { ModelMemory } from "./model-memory.ts";
import type { Targets } from "./targets.ts";
import type { Upstream } from "./upstream.ts";

const patience = 5_000;
const maxBytes = 1024 * 1024;
const maxNames = 1_000;

interface Input {
  /** Which replicas were there when it was asked. */
  readonly replicas: string;
  answer: Promise<void>;
}

export interface ListedModelsParts {
  readonly view: ClusterView;
  readonly targets: Targets;
  readonly memory: Pick<ModelMemory, "keep">;
}

/** Asks each Service that may speak the OpenAI API what it serves: once for each change of its replicas. */
export class ListedModels {
  readonly #view: ClusterView;
  readonly #targets: Targets;
  readonly #memory: Pick<ModelMemory, "keep">;
  readonly #asked = new Map<string, Input>();

  constructor({ view, targets, memory }: ListedModelsParts) {
    this.#view = view;
    this.#targets = targets;
    this.#memory = memory;
    view.onChange(() => this.refresh());
  }

  refresh(): void {
    const routed = this.#view.routedServices();
    const present = new Set<string>();
    for (const service of this.#view.services()) {
      const key = `${service.metadata.namespace}/${service.metadata.name}`;
      const model = modelOf(service, aliasesOf(service), undefined);
      if (model === undefined) continue;
      const isNamed = model.aliases.length > 0 || annotationOf(service, "listedModels") !== undefined;
      if (!isNamed && !routed.has(key) && !saysHttp(service)) continue;
      present.add(key);
      this.#ask(key, model.backend);
    }
    for (const key of this.#asked.keys()) if (!present.has(key)) this.#forget(key);
  }

  /** Resolves when the Service has said what it serves, or will not. */
  known(service: string): Promise<void> | undefined {
    return this.#asked.get(service)?.answer;
  }

  /** Asks a Service that nothing else gave a reason to ask; nothing comes back while it has no replicas. */
  confirm(backend: Backend): Promise<void> | undefined {
    const key = `${backend.namespace}/${backend.service}`;
    this.#ask(key, backend);
    return this.known(key);
  }

  #ask(key: string, backend: Backend): void {
    const { upstreams } = this.#targets.of(backend);
    const replicas = upstreams.map(({ authority }) => authority).join();
    const [first] = upstreams;
    // While nobody is there the last answer stands: requests that wake it are made with it.
    if (first === undefined || this.#asked.get(key)?.replicas === replicas) return;
    const input: Input = { replicas, answer: Promise.resolve() };
    this.#asked.set(key, input);
    input.answer = namesOf(first).then((reported) => {
      if (this.#asked.get(key) === input) this.#take(key, backend, reported);
    });
  }

  #take(key: string, backend: Backend, reported: Reported): void {
    // It may be about to end or to begin: the next change is a reason to ask again, and what it said before stands.
    if (reported.is === "silence") return void this.#asked.delete(key);
    this.#view.noteListed(key, reported.names ?? []);
    const service = this.#view.service(backend);
    if (reported.names !== undefined && service !== undefined) this.#memory.keep(service, reported.names);
  }

  #forget(key: string): void {
    this.#asked.delete(key);
    this.#view.noteListed(key, undefined);
  }
}

/** An answer without names is one, too: the server does not serve models. */
type Reported = { readonly is: "silence" } | { readonly is: "answer"; readonly names: string[] | undefined };

async function namesOf(upstream: Upstream): Promise<Reported> {
  try {
    const { status, text } = await readText(upstream.pool, "/v1/models", {
      host: upstream.authority,
      patience,
      maxBytes,
    });
    // It wants a key of its own, or is not ready: what it serves stays unknown.
    if (status === 401 || status === 403 || status >= 500) return { is: "silence" };
    return { is: "answer", names: status === 200 ? readNames(text) : undefined };
  } catch {
    return { is: "silence" };
  }
}

function readNames(text: string): string[] | undefined {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(answer) || !Array.isArray(answer.data)) return undefined;
  const names = answer.data.flatMap((item) => (isObject(item) && typeof item.id === "string" ? [item.id] : []));
  return names.slice(0, maxNames);
}
