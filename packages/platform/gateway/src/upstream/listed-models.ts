import { isObject } from "@trivium/std";
import { aliasesOf } from "../annotations.ts";
import { modelOf, saysHttp } from "../cluster/models.ts";
import type { ClusterView } from "../cluster/view.ts";
import type { Targets } from "./targets.ts";
import type { Upstream } from "./upstream.ts";

const patience = 5_000;
const mostBytes = 1024 * 1024;
const mostNames = 1_000;

interface Question {
  /** Which replicas were there when it was asked. */
  readonly replicas: string;
  answer: Promise<void>;
}

/** Asks each Service that may speak the OpenAI API what it serves: once for each change of its replicas. */
export class ListedModels {
  readonly #view: ClusterView;
  readonly #targets: Targets;
  readonly #asked = new Map<string, Question>();

  constructor(view: ClusterView, targets: Targets) {
    this.#view = view;
    this.#targets = targets;
    view.onChange(() => this.refresh());
  }

  refresh(): void {
    const routed = this.#view.routedServices();
    const present = new Set<string>();
    for (const service of this.#view.services()) {
      const key = `${service.metadata.namespace}/${service.metadata.name}`;
      const model = modelOf(service, aliasesOf(service), undefined);
      if (model === undefined) continue;
      if (model.aliases.length === 0 && !routed.has(key) && !saysHttp(service)) continue;
      present.add(key);
      this.#ask(key, this.#targets.of(model.backend).upstreams);
    }
    for (const key of this.#asked.keys()) if (!present.has(key)) this.#forget(key);
  }

  /** Resolves when the Service has said what it serves, or will not. */
  known(service: string): Promise<void> | undefined {
    return this.#asked.get(service)?.answer;
  }

  #ask(key: string, upstreams: readonly Upstream[]): void {
    const replicas = upstreams.map(({ authority }) => authority).join();
    const [first] = upstreams;
    // While nobody is there the last answer stands: requests that wake it are made with it.
    if (first === undefined || this.#asked.get(key)?.replicas === replicas) return;
    const question: Question = { replicas, answer: Promise.resolve() };
    this.#asked.set(key, question);
    question.answer = namesOf(first).then((names) => {
      if (this.#asked.get(key) === question) this.#view.noteListed(key, names);
    });
  }

  #forget(key: string): void {
    this.#asked.delete(key);
    this.#view.noteListed(key, undefined);
  }
}

async function namesOf(upstream: Upstream): Promise<string[] | undefined> {
  try {
    const signal = AbortSignal.timeout(patience);
    const answer = await upstream.pool.request({ method: "GET", path: "/v1/models", signal });
    const text = await boundedText(answer.body);
    return answer.statusCode === 200 ? readNames(JSON.parse(text)) : undefined;
  } catch {
    return undefined;
  }
}

async function boundedText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body) {
    size += piece.length;
    if (size > mostBytes) throw new Error("the list of models is too long");
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}

function readNames(answer: unknown): string[] | undefined {
  if (!isObject(answer) || !Array.isArray(answer.data)) return undefined;
  const names = answer.data.flatMap((item) => (isObject(item) && typeof item.id === "string" ? [item.id] : []));
  return names.slice(0, mostNames);
}
