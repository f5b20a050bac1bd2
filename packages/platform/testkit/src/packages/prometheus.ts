import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { debianPackages, type Packages, programOf } from "./debian.ts";
import { type Service, startService } from "./service.ts";

export interface Prometheus extends Service {
  /** The value that a query comes to, where it comes to one; nothing while there is no such series. */
  query(text: string): Promise<number | undefined>;
}

/** A job as Prometheus configures it, such as one that finds its targets through the API of a cluster. */
export type ScrapeJob = { readonly job_name: string } & Readonly<Record<string, unknown>>;

/** Prometheus of Debian, which scrapes these addresses (`127.0.0.1:8081`) or jobs five times a second; or why it cannot be had. */
export async function startPrometheus(
  scraped: readonly string[] | { readonly jobs: readonly ScrapeJob[] },
): Promise<Prometheus | Extract<Packages, { is: "missing" }>> {
  const packages = await debianPackages("prometheus");
  if (packages.is === "missing") return packages;
  const service = await startService({
    program: programOf(packages, "prometheus"),
    environment: packages.environment,
    async prepare({ folder, port }) {
      const path = join(folder, "prometheus.json");
      const jobs = "jobs" in scraped ? scraped.jobs : [{ job_name: "scraped", static_configs: [{ targets: scraped }] }];
      const global = { scrape_interval: "200ms", scrape_timeout: "200ms" };
      // JSON is YAML, too.
      await writeFile(path, JSON.stringify({ global, scrape_configs: jobs }));
      return [
        ...[`--config.file=${path}`, `--storage.tsdb.path=${folder}/data`],
        ...[`--web.listen-address=127.0.0.1:${port}`, "--log.level=error"],
      ];
    },
  });
  return { ...service, query: (text) => ask(service, text) };
}

async function ask({ host, port }: Service, query: string): Promise<number | undefined> {
  const answer = await fetch(`http://${host}:${port}/api/v1/query?${new URLSearchParams({ query })}`);
  // It listens before it can answer.
  if (answer.status === 503) return undefined;
  const { data, error } = (await answer.json()) as {
    data?: { result: readonly { value: readonly [number, string] }[] };
    error?: string;
  };
  if (data === undefined) throw new Error(`Prometheus refuses ${query}: ${error}`);
  const value = data.result[0]?.value[1];
  return value === undefined ? undefined : Number(value);
}
