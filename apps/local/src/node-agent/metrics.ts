import { collectProcessMetrics } from "@trivium/runtime";
import type { ArtifactEvent } from "@trivium/weights";
import { Counter, Histogram, Registry } from "prom-client";

const labelNames = ["model_type", "namespace", "name"] as const;

type SubjectOf = (key: string) => { readonly kind: string; readonly namespace: string; readonly name: string };

/** What the agent counts of its work, under the names that dashboards know. */
export class AgentMetrics {
  readonly registry = new Registry();
  readonly #subjectOf: SubjectOf;
  readonly #counters: Readonly<Record<string, Counter>>;
  readonly #seconds: Readonly<Record<string, Histogram>>;
  readonly #verifications: Counter<"result" | (typeof labelNames)[number]>;

  constructor(subjectOf: SubjectOf) {
    this.#subjectOf = subjectOf;
    const registers = [this.registry];
    collectProcessMetrics(this.registry);
    const counter = (name: string, help: string) =>
      new Counter({ name: `model_agent_${name}`, help, labelNames, registers });
    const seconds = (name: string, help: string) =>
      new Histogram({ name: `model_agent_${name}`, help, labelNames, buckets: stretches, registers });
    this.#counters = {
      fetched: counter("downloads_success_total", "Completed downloads"),
      failed: counter("downloads_failed_total", "Failed download attempts; each is retried"),
      mismatched: counter("md5_checksum_failed_total", "Files whose digest does not match the source"),
      limited: counter("rate_limit_total", "Download attempts stopped by the rate limit of the source"),
      evicted: counter("evictions_total", "Times that unused models were deleted to make space for this one"),
      received: counter("download_bytes_total", "Bytes downloaded"),
    };
    this.#seconds = {
      fetched: seconds("download_duration_seconds", "Duration of a download from its start to its last file"),
      verified: seconds("verification_duration_seconds", "Duration of the verification of a copy"),
      limited: seconds("rate_limit_wait_seconds", "Wait time requested by the source"),
    };
    this.#verifications = new Counter({
      name: "model_agent_verifications_total",
      help: "Verifications of a copy",
      labelNames: [...labelNames, "result"],
      registers,
    });
  }

  readonly count = (event: ArtifactEvent): void => {
    const { kind, namespace, name } = this.#subjectOf(event.key);
    const labels = { model_type: kind, namespace, name };
    this.#counters[event.is]?.inc(labels, event.is === "received" ? event.bytes : 1);
    if ("seconds" in event && event.seconds !== undefined) this.#seconds[event.is]?.observe(labels, event.seconds);
    if (event.is === "verified") this.#verifications.inc({ ...labels, result: event.result });
  };
}

const stretches = [0.01, 0.1, 1, 5, 15, 60, 300, 900, 3600, 4 * 3600];
