import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { Usage } from "./openai/token-tap.ts";

/** More Services than this share one label: whoever scrapes us must not drown. */
const maxModels = 500;
const other = "other";
const seconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];

/** What is counted. A model is labelled by its Service, never by what a client wrote. */
export class Metrics {
  readonly registry: Registry = new Registry();
  readonly #models = new Set<string>();
  readonly #requests = this.#counter("trivium_gateway_requests_total", "Requests by Service and status", [
    "model",
    "code",
  ]);
  readonly #refused = this.#counter(
    "trivium_gateway_refused_total",
    "Requests rejected before they reached a Service, by reason",
    ["reason"],
  );
  readonly #errors = this.#counter(
    "trivium_gateway_errors_total",
    "Requests that failed between gateway and Service, by reason",
    ["model", "reason"],
  );
  readonly #retries = this.#counter("trivium_gateway_retries_total", "Requests retried on another replica", ["model"]);
  readonly #tokens = this.#counter("trivium_gateway_tokens_total", "Tokens reported by model servers", [
    "model",
    "kind",
  ]);
  readonly #duration = this.#histogram("trivium_gateway_request_seconds", "Total duration of a request");
  readonly #firstByte = this.#histogram(
    "trivium_gateway_time_to_first_token_seconds",
    "Time to the first chunk of a streamed response",
  );
  readonly #queued = this.#histogram("trivium_gateway_queue_seconds", "Time a request waited for a replica");
  readonly #inFlight: Gauge<"model"> = new Gauge({
    name: "trivium_gateway_in_flight",
    help: "Requests in progress, including waiting ones",
    labelNames: ["model"],
    registers: [this.registry],
  });

  constructor(held: () => number) {
    new Gauge({
      name: "trivium_gateway_held",
      help: "Requests waiting for a replica",
      registers: [this.registry],
      collect() {
        this.set(held());
      },
    });
  }

  began(name: string): void {
    this.#inFlight.inc({ model: this.#label(name) });
  }

  ended(name: string, code: number, duration: number): void {
    const model = this.#label(name);
    this.#inFlight.dec({ model });
    this.#requests.inc({ model, code });
    this.#duration.observe({ model }, duration / 1000);
  }

  refused(reason: string): void {
    this.#refused.inc({ reason });
  }

  failed(name: string, reason: string): void {
    this.#errors.inc({ model: this.#label(name), reason });
  }

  retried(name: string): void {
    this.#retries.inc({ model: this.#label(name) });
  }

  firstByte(name: string, after: number): void {
    this.#firstByte.observe({ model: this.#label(name) }, after / 1000);
  }

  queued(name: string, duration: number): void {
    this.#queued.observe({ model: this.#label(name) }, duration / 1000);
  }

  tokens(name: string, { prompt, completion }: Usage): void {
    const model = this.#label(name);
    this.#tokens.inc({ model, kind: "prompt" }, prompt);
    this.#tokens.inc({ model, kind: "completion" }, completion);
  }

  #label(name: string): string {
    if (this.#models.has(name)) return name;
    if (this.#models.size >= maxModels) return other;
    this.#models.add(name);
    return name;
  }

  #counter<L extends string>(name: string, help: string, labelNames: L[]): Counter<L> {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  #histogram(name: string, help: string): Histogram<"model"> {
    return new Histogram({ name, help, labelNames: ["model"], buckets: seconds, registers: [this.registry] });
  }
}
