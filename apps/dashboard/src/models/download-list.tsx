import { Progress } from "./progress.tsx";
import { useWeights } from "./use-weights.ts";

/** Downloads that run now. */
export function DownloadList() {
  const { rows } = useWeights();
  const running = rows.flatMap(({ object, download }) => (download === undefined ? [] : [{ object, download }]));
  return (
    <section class="card grid-wide" aria-labelledby="downloads">
      <h2 id="downloads">
        <a href="#/models">Downloads</a>
      </h2>
      {running.length === 0 && <p class="muted">No download runs.</p>}
      <ul class="causes">
        {running.map(({ object: { kind, metadata }, download }) => (
          <li key={`${kind} ${metadata.namespace} ${metadata.name}`}>
            <strong>
              {kind} {metadata.name}
            </strong>
            <Progress download={download} />
          </li>
        ))}
      </ul>
    </section>
  );
}
