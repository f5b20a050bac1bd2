import { formatAge, type ServiceRow } from "@trivium/explain";
import type { KubeClient } from "@trivium/kube";
import { dialects } from "@trivium/local";
import { type Instant, parseTime, Refusal } from "@trivium/std";
import { stringify } from "yaml";
import type { AccessOptions } from "../access.ts";
import { afterEachChange } from "../cluster/changes.ts";
import { notFound } from "../cluster/choose.ts";
import { namesOf, otherKind, serviceKinds } from "../cluster/kinds.ts";
import { refuseUnknownNamespace } from "../cluster/namespace.ts";
import { dialectsOf, namedService } from "../cluster/service.ts";
import { withCluster } from "../cluster/session.ts";
import { untilInterrupted } from "../interrupt.ts";
import { listRows } from "./rows.ts";
import { fitTable, formatTable } from "./table.ts";

export interface GetOptions extends AccessOptions {
  /** Services of these dialects instead of all. */
  readonly apis?: readonly string[] | undefined;
  /** One service instead of all. */
  readonly name?: string | undefined;
  readonly allNamespaces?: boolean;
  readonly watch?: boolean;
  readonly output: "table" | "wide" | "json" | "yaml";
}

/** `isvc`, `isvc chat`, `chat` or `ome/chat`: one word is a kind of services where there is such a kind, else the name of one. */
export function readWords(first: string | undefined, second: string | undefined): Pick<GetOptions, "apis" | "name"> {
  if (first === undefined || first === "services") return { name: second };
  const [word = "", name = second] = first.split("/");
  if (name === undefined && !isKind(word)) return { name: word };
  return { apis: dialectsOf(word).map((dialect) => dialect.name), name };
}

const isKind = (written: string): boolean =>
  serviceKinds.some((kind) => namesOf(kind).includes(written.toLowerCase().split(".")[0] ?? ""));

/** Services of all dialects in one table, once or after each change. */
export async function get(options: GetOptions, print: (text: string) => void): Promise<void> {
  await withCluster(options, async ({ client, namespace }) => {
    const scope = options.allNamespaces === true ? undefined : namespace;
    let last: string | undefined;
    const show = async (): Promise<void> => {
      const { text, rows } = await render(client, scope, options);
      // Only ages differ between two looks at the same state.
      const state = JSON.stringify(rows.map(plain));
      if (state !== last) print(text);
      last = state;
    };
    await show();
    if (options.watch !== true) return;
    const kinds = dialects.map(({ serviceKind }) => serviceKind);
    await afterEachChange(client, kinds, { namespace: scope, show, signal: untilInterrupted() });
  });
}

interface Rendered {
  readonly rows: readonly ServiceRow[];
  readonly text: string;
}

async function render(client: KubeClient, namespace: string | undefined, options: GetOptions): Promise<Rendered> {
  const all = await listRows(client, namespace);
  const services = all.filter(({ api }) => options.apis === undefined || options.apis.includes(api));
  const rows = services.filter(({ name }) => options.name === undefined || name === options.name);
  if (services.length === 0 && namespace !== undefined) await refuseUnknownNamespace(client, namespace);
  if (options.name !== undefined && rows.length === 0)
    throw missing(options.name, namespace, [
      ...services.map(({ name }) => name),
      // One word may have been meant as a kind.
      ...(options.apis === undefined ? serviceKinds.flatMap(namesOf) : []),
    ]);
  return { rows, text: textOf(rows, namespace, options) };
}

function textOf(rows: readonly ServiceRow[], namespace: string | undefined, { output }: GetOptions): string {
  if (output === "yaml") return stringify(rows.map(plain));
  if (output === "json") return `${JSON.stringify(rows.map(plain), null, 2)}\n`;
  if (rows.length === 0)
    return `no services${namespace === undefined ? "" : ` in namespace ${namespace}`}; trivium run MODEL starts one\n`;
  const isWide = output === "wide";
  const columns = isWide || !process.stdout.isTTY ? undefined : process.stdout.columns;
  return printServices(rows, { withNamespace: namespace === undefined, isWide, columns, now: Date.now() });
}

/** One shape for programs: kubectl prints the objects. */
const plain = ({ object: _, ...row }: ServiceRow): object => row;

function missing(name: string, namespace: string | undefined, known: readonly string[]): Refusal {
  const kind = otherKind(name);
  if (kind === undefined) return notFound(namedService(name, namespace, known));
  return new Refusal(`trivium get lists services of models only; list ${kind} with kubectl get ${kind}`);
}

interface Printing {
  readonly withNamespace: boolean;
  readonly isWide: boolean;
  /** Of the terminal; a wide table and a pipe have all of each line. */
  readonly columns: number | undefined;
  readonly now: Instant;
}

function printServices(rows: readonly ServiceRow[], { withNamespace, isWide, columns, now }: Printing): string {
  const ageOf = ({ created }: ServiceRow): string => formatAge(now - (parseTime(created) ?? now));
  const cells: readonly (readonly [title: string, cell: (row: ServiceRow) => string])[] = [
    ...(withNamespace ? [["NAMESPACE", ({ namespace }: ServiceRow) => namespace] as const] : []),
    ["NAME", ({ name }) => name],
    ["API", ({ api }) => api],
    ["MODEL", ({ model }) => model],
    ["PROFILE", ({ profile }) => profile],
    ["REPLICAS", ({ replicas }) => replicas],
    ["STATUS", ({ status }) => status],
    ...(isWide ? [["REASON", ({ reason }: ServiceRow) => reason] as const] : []),
    ["AGE", ageOf],
    ["CAUSE", ({ cause }) => cause],
  ];
  const table = [cells.map(([title]) => title), ...rows.map((row) => cells.map(([, cell]) => cell(row)))];
  return formatTable(
    columns === undefined ? table : fitTable(table, { columns, shortened: ["PROFILE", "MODEL", "NAME"] }),
  );
}
