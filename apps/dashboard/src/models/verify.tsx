import { paths, type VerifyReport } from "@trivium/dashboard-server/contract";
import { useState } from "preact/hooks";
import { getJson } from "../kube/request.ts";
import { session } from "../session/session.ts";

/** Compares the weights that this machine has downloaded with their checksums. */
export function Verify() {
  const [report, setReport] = useState<VerifyReport>();
  const [failure, setFailure] = useState("");
  const [isBusy, setBusy] = useState(false);
  const isReadOnly = session.value?.isReadOnly === true;
  const verify = async () => {
    setBusy(true);
    setFailure("");
    setReport(undefined);
    try {
      setReport(await getJson<VerifyReport>(paths.verify, { method: "POST", body: "{}" }));
    } catch (error) {
      setFailure(error instanceof Error ? error.message : String(error));
    }
    setBusy(false);
  };
  return (
    <section class="card" aria-labelledby="verify">
      <h2 id="verify">Verify downloaded weights</h2>
      <div class="actions">
        <button type="button" class="quiet" disabled={isBusy || isReadOnly} onClick={verify}>
          {isBusy ? "Reading all files …" : "Verify"}
        </button>
        <span class="muted" role="status">
          {report === undefined ? describeTask(isReadOnly) : describeReport(report)}
        </span>
      </div>
      {failure !== "" && (
        <p class="notice" role="alert">
          {failure}
        </p>
      )}
      {report !== undefined && report.findings.length > 0 && (
        <ul class="lines">
          {report.findings.map(({ path, problem, repair }) => (
            <li key={path}>
              {path}: {problem}; {repair}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

const describeTask = (isReadOnly: boolean): string =>
  isReadOnly
    ? "This dashboard is read-only; a damaged file would be removed"
    : "Compares every downloaded file of this machine with its checksum; a damaged one is deleted, or named where pods can write";

const describeReport = ({ models, findings }: VerifyReport): string =>
  findings.length === 0
    ? `${models} ${models === 1 ? "model" : "models"} verified, no damage`
    : `${findings.length} ${findings.length === 1 ? "problem" : "problems"} found`;
