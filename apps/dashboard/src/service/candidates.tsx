import type { Choice } from "@trivium/domain";
import { ScrollBox } from "../parts/scroll-box.tsx";
import { type CandidateColumn, type CandidateRow, candidateTable } from "./candidate-rows.ts";

/** Every way to run the service that was considered, with what each failed check requires and has. */
export function Candidates({ choice }: { readonly choice: Choice }) {
  const { columns, rows } = candidateTable(choice);
  return (
    <section class="card grid-wide" aria-labelledby="candidates">
      <h2 id="candidates">Selection of {choice.of}</h2>
      <p class="muted">
        {choice.chosen === undefined ? "None selected" : `Selected ${choice.chosen}`}: {choice.because}
      </p>
      {rows.length > 0 && (
        <ScrollBox class="table-scroll" label="Candidates">
          <table class="table wrapped">
            <thead>
              <tr>
                {["Candidate", "Result", ...columns].map((title) => (
                  <th key={title} scope="col">
                    {title}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>{rows.map((row) => linesOf(row, columns))}</tbody>
          </table>
        </ScrollBox>
      )}
    </section>
  );
}

const linesOf = ({ name, result, checks }: CandidateRow, columns: readonly CandidateColumn[]) =>
  checks.map((check, at) => (
    <tr key={`${name} ${at}`}>
      {at === 0 && (
        <>
          <th scope="row" rowSpan={checks.length}>
            {name}
          </th>
          <td rowSpan={checks.length}>{result}</td>
        </>
      )}
      {columns.map((column) => (
        <td key={column}>{check[column]}</td>
      ))}
    </tr>
  ));
