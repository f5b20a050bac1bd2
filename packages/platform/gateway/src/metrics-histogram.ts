import { Histogram } from "prom-client";

type Printed = Awaited<ReturnType<Histogram<"model">["get"]>>;

/** The values of one label, counted per bucket. */
interface Series {
  readonly counts: Float64Array;
  sum: number;
  count: number;
}

/**
 * A histogram by Service that is observed for every request: an observation is two additions. prom-client hashes and validates the
 * labels each time, which cost more than forwarding; here it only prints.
 */
export class ModelHistogram extends Histogram<"model"> {
  readonly #name: string;
  readonly #help: string;
  readonly #bounds: readonly number[];
  readonly #series = new Map<string, Series>();

  constructor(options: { readonly name: string; readonly help: string; readonly bounds: readonly number[] }) {
    super({ name: options.name, help: options.help, labelNames: ["model"], registers: [] });
    this.#name = options.name;
    this.#help = options.help;
    this.#bounds = options.bounds;
  }

  note(model: string, value: number): void {
    const series = this.#series.get(model) ?? this.#open(model);
    let at = 0;
    while (at < this.#bounds.length && value > (this.#bounds[at] as number)) at += 1;
    series.counts[at] = (series.counts[at] as number) + 1;
    series.sum += value;
    series.count += 1;
  }

  override async get(): Promise<Printed> {
    const values = [...this.#series].flatMap(([model, series]) => this.#rowsOf(model, series));
    // The declared enum of types does not exist in the library: it is this text.
    const type = "histogram" as Printed["type"] & "histogram";
    return { name: this.#name, help: this.#help, type, aggregator: "sum", values, collect: () => {} } as Printed;
  }

  /** What the registry prints; prom-client's own reads its own buckets. */
  getForPromString(): Promise<Printed> {
    return this.get();
  }

  #open(model: string): Series {
    const series = { counts: new Float64Array(this.#bounds.length + 1), sum: 0, count: 0 };
    this.#series.set(model, series);
    return series;
  }

  #rowsOf(model: string, { counts, sum, count }: Series) {
    let below = 0;
    const buckets = this.#bounds.map((le, at) => {
      below += counts[at] as number;
      return { metricName: `${this.#name}_bucket`, labels: { le, model }, value: below };
    });
    return [
      ...buckets,
      { metricName: `${this.#name}_bucket`, labels: { le: "+Inf", model }, value: count },
      { metricName: `${this.#name}_sum`, labels: { model }, value: sum },
      { metricName: `${this.#name}_count`, labels: { model }, value: count },
    ];
  }
}
