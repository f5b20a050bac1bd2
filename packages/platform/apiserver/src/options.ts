import type { FieldError } from "@trivium/schema";
import { append } from "@trivium/std";
import type { Call } from "./call.ts";
import { badRequest, invalid } from "./refusals.ts";
import { isTrue } from "./request.ts";

export type FieldValidation = "Strict" | "Warn" | "Ignore";

/** What create, update and patch take in their query. */
export interface WriteOptions {
  readonly dryRun: boolean;
  readonly validation: FieldValidation;
  /** Who is written into managedFields. */
  readonly manager: string;
  readonly force: boolean;
}

type OptionsKind = "CreateOptions" | "UpdateOptions" | "PatchOptions";

export function writeOptions(call: Call, kind: OptionsKind, isApply = false): WriteOptions {
  const { query } = call;
  const fieldManager = query.get("fieldManager") ?? "";
  const validation = query.get("fieldValidation") ?? "";
  const force = query.get("force");
  const faults: FieldError[] = [];
  if (isApply && fieldManager === "") {
    faults.push({ reason: "FieldValueRequired", field: "fieldManager", detail: "is required for apply patch" });
  }
  if (!isApply && kind === "PatchOptions" && force !== null) {
    faults.push({ reason: "FieldValueForbidden", field: "force", detail: "may not be specified for non-apply patch" });
  }
  append(faults, faultsOfManager(fieldManager), faultsOfDryRun(query.getAll("dryRun")));
  if (!["", "Ignore", "Strict", "Warn"].includes(validation)) {
    const supported = ["", "Ignore", "Strict", "Warn"];
    faults.push({
      reason: "FieldValueNotSupported",
      field: "fieldValidation",
      value: validation,
      detail: "",
      supported,
    });
  }
  if (faults.length > 0) throw invalid({ group: "meta.k8s.io", kind }, "", faults);
  return {
    dryRun: query.has("dryRun"),
    validation: validation === "" ? "Warn" : (validation as FieldValidation),
    manager: fieldManager === "" ? managerOf(call.request.headers["user-agent"]) : fieldManager,
    force: isTrue(force),
  };
}

export function faultsOfDryRun(values: readonly string[]): FieldError[] {
  if (values.every((value) => value === "All")) return [];
  return [{ reason: "FieldValueNotSupported", field: "dryRun", value: [...values], detail: "", supported: ["All"] }];
}

function faultsOfManager(name: string): FieldError[] {
  const faults: FieldError[] = [];
  if (name.length > 128) {
    faults.push({
      reason: "FieldValueTooLong",
      field: "fieldManager",
      value: name,
      detail: "may not be more than 128 bytes",
    });
  }
  const at = [...name].findIndex((char) => !/^[\P{C}]$/u.test(char));
  if (at !== -1) {
    const code = ([...name][at] as string).codePointAt(0) as number;
    const detail = `invalid character U+${code.toString(16).toUpperCase().padStart(4, "0")} (at position ${at})`;
    faults.push({ reason: "FieldValueInvalid", field: "fieldManager", value: name, detail });
  }
  return faults;
}

/** The first word of the user agent: `kubectl/v1.32.0 (linux/amd64)` is `kubectl`. */
function managerOf(userAgent: string | undefined): string {
  return (
    (userAgent ?? "unknown")
      .split("/", 1)[0]
      ?.slice(0, 128)
      .replace(/[^ -~]/g, "") || "unknown"
  );
}

/** An integer in a query, in Go's words when it is none. */
export function integerOf(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null || text === "") return undefined;
  if (!/^[+-]?\d{1,18}$/.test(text))
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  return Number(text);
}
