import type { MemoryFit, MemoryShare } from "@trivium/domain";
import { formatMemory } from "@trivium/engines";

const words = { yes: "It fits", partly: "It fits in part", no: "It does not fit", unknown: "Available memory unknown" };

/** What serving needs, by term, against what there is. */
export const Memory = ({ fit }: { readonly fit: MemoryFit }) => (
  <section class="card" aria-labelledby="memory">
    <h2 id="memory">Memory</h2>
    <p class={fit.fits === "no" ? "status status-failed" : "muted"}>{fit.impossible ?? words[fit.fits]}</p>
    {fit.shares.map((share) => (
      <Share key={share.place} share={share} />
    ))}
    {fit.alternatives.length > 0 && <p>Would fit: {fit.alternatives.map(({ text }) => text).join(", ")}</p>}
  </section>
);

function Share({ share }: { readonly share: MemoryShare }) {
  const { place, times, terms, bytes, available } = share;
  const whole = Math.max(bytes, available ?? 0);
  const where = place === "host" ? "CPU" : times === 1 ? "Device" : `Each of ${times} devices`;
  return (
    <figure class="memory">
      <figcaption>
        {where}: {formatMemory(bytes)}
        {available === undefined ? "" : ` of ${formatMemory(available)}`}
      </figcaption>
      <div class="stack" aria-hidden="true">
        {terms.map(({ what, bytes: part }, at) => (
          <span key={what} class={`stack-part term-${(at % 5) + 1}`} style={{ width: `${(part / whole) * 100}%` }} />
        ))}
        {available !== undefined && available < bytes && (
          <span class="stack-limit" style={{ left: `${(available / whole) * 100}%` }} />
        )}
      </div>
      <table class="terms">
        <tbody>
          {terms.map(({ what, bytes: part, how }, at) => (
            <tr key={what}>
              <th scope="row">
                <span class={`dot term-${(at % 5) + 1}`} /> {what}
              </th>
              <td class="num">{formatMemory(part)}</td>
              <td class="muted">{how}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  );
}
