import type { Choice, ChoiceCandidate } from "@trivium/domain";

/** Every way to run the service that was considered, with what each failed check requires and has. */
export const Candidates = ({ choice }: { readonly choice: Choice }) => (
  <section class="card grid-wide" aria-labelledby="candidates">
    <h2 id="candidates">Selection of {choice.of}</h2>
    <p class="muted">
      {choice.chosen === undefined ? "None selected" : `Selected ${choice.chosen}`}: {choice.because}
    </p>
    {choice.candidates.length > 0 && (
      <div class="table-scroll">
        <table class="table wrapped">
          <thead>
            <tr>
              <th scope="col">Candidate</th>
              <th scope="col">Result</th>
              <th scope="col">Check</th>
              <th scope="col">Required</th>
              <th scope="col">Actual</th>
              <th scope="col">To use it</th>
            </tr>
          </thead>
          <tbody>{[...choice.candidates].sort(byResult).flatMap(rowsOf)}</tbody>
        </table>
      </div>
    )}
  </section>
);

const order = ["chosen", "outranked", "rejected"];
const byResult = (a: ChoiceCandidate, b: ChoiceCandidate): number => order.indexOf(a.is) - order.indexOf(b.is);

function rowsOf(candidate: ChoiceCandidate) {
  const { name, is, failed, lost, change } = candidate;
  const checks = [
    ...failed.map(({ gate, required, actual }) => ({ check: gate, required, actual })),
    ...(lost === undefined ? [] : [{ check: lost.rank, required: lost.best, actual: lost.actual }]),
  ];
  const shown = checks.length === 0 ? [{ check: "", required: "", actual: "" }] : checks;
  return shown.map(({ check, required, actual }, at) => (
    <tr key={`${name} ${check} ${at}`}>
      {at === 0 && (
        <>
          <th scope="row" rowSpan={shown.length}>
            {name}
          </th>
          <td rowSpan={shown.length}>{is}</td>
        </>
      )}
      <td>{check}</td>
      <td>{required}</td>
      <td>{actual}</td>
      {at === 0 && <td rowSpan={shown.length}>{change ?? ""}</td>}
    </tr>
  ));
}
