import type { Diagnosis, Failure } from "@trivium/domain";
import { classifyCrash } from "@trivium/engines";
import { faultOfFile } from "../../model/weights/file-facts.ts";
import { sourceOf } from "../../weights/source.ts";
import type { ObservedService } from "../observe.ts";

type Observed = Pick<ObservedService, "header" | "model">;

/** A file that the engine cannot read: its header says so, or it is not on the claim. A driver that is too old comes first. */
export function fileFault(failure: Failure, observed: Observed): Diagnosis | undefined {
  if (failure.kind !== "crash" || failure.role === "prepares" || classifyCrash(failure).is === "driver")
    return undefined;
  const broken = faultOfFile({ header: observed.header?.tolerated });
  const cause =
    broken === undefined
      ? missingOnClaim(failure.lastLogLine ?? "", observed)
      : `The engine cannot read the file: ${broken}`;
  if (cause === undefined) return undefined;
  return { subject: "Model", cause, remedy: "provide a valid file, or change spec.source of the Model" };
}

/** Engines name the path at which a claim is mounted, which does not tell where to look. */
function missingOnClaim(line: string, { model }: Observed): string | undefined {
  const source = model.is === "known" ? sourceOf(model.value.spec) : undefined;
  if (source?.is !== "claim" || !line.includes(`/${source.path}`) || !noSuchFile.test(line)) return undefined;
  return `PersistentVolumeClaim ${source.claim} has no file ${source.path}`;
}

const noSuchFile = /no such file|does not exist|ENOENT/i;
