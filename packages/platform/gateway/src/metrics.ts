import { Counter, Gauge, Registry } from "prom-client";
import { ModelHistogram } from "./metrics-histogram.ts";
import type { Usage } from "./openai/token-tap.ts";

/** More Services than this share one label: whoever scrapes us must not drown. */
const maxModels = 500;
const other = "other";
const seconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];

/** What is counted. A model is labelled by its Service, never by what a client wrote. */
export class Metrics {
  readonly registry: Registry = new Registry();
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
  readonly #duration = this.#histogram("trivium_gateway_request_seconds", "Total duration of a request");
  readonly #firstByte = this.#histogram(
    "trivium_gateway_time_to_first_token_seconds",
    "Time to the first chunk of a streamed response",
  );
  readonly #queued = this.#histogram("trivium_gateway_queue_seconds", "Time a request waited for a replica");
  readonly #figures = new Map<string, ModelFigures>();

  constructor(held: () => number) {
    const figures = this.#figures;
    this.#gauge("trivium_gateway_held", "Requests waiting for a replica", [], (gauge) => gauge.set(held()));
    this.#gauge("trivium_gateway_in_flight", "Requests in progress, including waiting ones", ["model"], (gauge) => {
      for (const [model, { inFlight }] of figures) gauge.set({ model }, inFlight);
    });
    this.#counter("trivium_gateway_requests_total", "Requests by Service and status", ["model", "code"], (counter) => {
      for (const [model, { codes }] of figures) for (const [code, count] of codes) counter.inc({ model, code }, count);
    });
    this.#counter("trivium_gateway_tokens_total", "Tokens reported by model servers", ["model", "kind"], (counter) => {
      for (const [model, { tokens }] of figures) {
        if (tokens === undefined) continue;
        counter.inc({ model, kind: "prompt" }, tokens.prompt);
        counter.inc({ model, kind: "completion" }, tokens.completion);
      }
    });
  }

  began(name: string): void {
    this.#of(name).inFlight += 1;
  }

  ended(name: string, code: number, duration: number): void {
    const figures = this.#of(name);
    figures.inFlight -= 1;
    figures.codes.set(code, (figures.codes.get(code) ?? 0) + 1);
    this.#duration.note(figures.label, duration / 1000);
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
    this.#firstByte.note(this.#label(name), after / 1000);
  }

  queued(name: string, duration: number): void {
    this.#queued.note(this.#label(name), duration / 1000);
  }

  tokens(name: string, { prompt, completion }: Usage): void {
    const figures = this.#of(name);
    figures.tokens ??= { prompt: 0, completion: 0 };
    figures.tokens.prompt += prompt;
    figures.tokens.completion += completion;
  }

  #label(name: string): string {
    return this.#of(name).label;
  }

  #of(name: string): ModelFigures {
    return this.#figures.get(name) ?? this.#open(this.#figures.size >= maxModels ? other : name);
  }

  #open(label: string): ModelFigures {
    const known = this.#figures.get(label);
    if (known !== undefined) return known;
    const figures: ModelFigures = { label, inFlight: 0, codes: new Map(), tokens: undefined };
    this.#figures.set(label, figures);
    return figures;
  }

  /** With `write`, the values are written when they are scraped, from figures that were counted without labels. */
  #counter<L extends string>(name: string, help: string, labelNames: L[], write?: (counter: Counter<L>) => void) {
    const options = { name, help, labelNames, registers: [this.registry] };
    if (write === undefined) return new Counter(options);
    return new Counter({
      ...options,
      collect() {
        this.reset();
        write(this);
      },
    });
  }

  #gauge<L extends string>(name: string, help: string, labelNames: L[], write: (gauge: Gauge<L>) => void): void {
    new Gauge({
      name,
      help,
      labelNames,
      registers: [this.registry],
      collect() {
        write(this);
      },
    });
  }

  #histogram(name: string, help: string): ModelHistogram {
    const histogram = new ModelHistogram({ name, help, bounds: seconds });
    this.registry.registerMetric(histogram);
    return histogram;
  }
}

/** What is counted for every request: plain numbers, which cost nothing beside it. */
interface ModelFigures {
  readonly label: string;
  inFlight: number;
  readonly codes: Map<number, number>;
  tokens: { prompt: number; completion: number } | undefined;
}
