import { type Converted, convertServices } from "@trivium/engines";
import { type AnyObject, apiVersionOf } from "@trivium/kube";
import { dialects } from "@trivium/local";
import { Refusal } from "@trivium/std";
import { stringify } from "yaml";
import { type FileObject, nameOfFile, readPlaced } from "../facts/documents.ts";
import { Faults } from "../facts/faults.ts";
import { formatLedger } from "./ledger.ts";

export interface ConvertOptions {
  readonly filename: string;
  readonly to: string;
  readonly output: string;
}

/** The services of a file in another API, and an account of every field. */
export function convert({ filename, to, output }: ConvertOptions): { manifests: string; ledger: string } {
  const { objects, ledger } = convertAll(readPlaced([filename]), to, filename);
  if (output === "json") return { manifests: `${JSON.stringify({ objects, ledger }, null, 2)}\n`, ledger: "" };
  const manifests = objects.map((object) => stringify(object, { aliasDuplicateObjects: false, lineWidth: 0 }));
  return { manifests: manifests.join("---\n"), ledger: formatLedger(ledger) };
}

type Done = Extract<Converted, { is: "converted" }>;

/** A file can have services of several APIs; those of the API that is asked for stay unchanged. */
function convertAll(files: readonly FileObject[], name: string, file: string): Pick<Done, "objects" | "ledger"> {
  const objects = files.map(({ object }) => object);
  const to = dialects.find((one) => one.name === name);
  if (to === undefined) throw new Refusal(`--to ${name}: choose ${dialects.map((one) => one.name).join(", ")}`);
  const sources = dialects.filter((one) => one !== to && objects.some((object) => isService(object, one)));
  if (sources.length === 0)
    throw new Refusal(`${nameOfFile(file)} has no service to convert to ${name}; ${found(objects, to)}`);
  return sources.reduce<Pick<Done, "objects" | "ledger">>(
    (before, from) => {
      const converted = convertServices(before.objects, { from, to });
      if (converted.is === "impossible") throw refusalOf(converted, files);
      return { objects: converted.objects, ledger: [...before.ledger, ...converted.ledger] };
    },
    { objects, ledger: [] },
  );
}

/** Every fault with its place in the file. */
function refusalOf({ why, faults }: Extract<Converted, { is: "impossible" }>, files: readonly FileObject[]): Refusal {
  const placeOf = (object: AnyObject): string | undefined => files.find((one) => one.object === object)?.place;
  return faults === undefined
    ? new Refusal(why)
    : new Faults(faults.map((fault) => `${placeOf(fault.object)}: ${fault.why}`));
}

type Dialect = (typeof dialects)[number];

const isService = ({ kind, apiVersion }: AnyObject, { serviceKind }: Dialect): boolean =>
  kind === serviceKind.kind && apiVersion === apiVersionOf(serviceKind);

function found(objects: readonly AnyObject[], to: Dialect): string {
  if (objects.some((object) => isService(object, to))) return "its services have that API already";
  return `add one of ${dialects.map(({ serviceKind: { kind, group } }) => `${kind} of ${group}`).join(", ")}`;
}
