/**
 * What a page says under `## Acceptance` about a list of scenarios that others drew up, row by row: `| K1 | the scenario | what covers it |`.
 * Tables of our own may stand there as well.
 */
export interface Acceptance {
  /** The rows that there should be, and those that there are, each in order. */
  readonly wanted: readonly string[];
  readonly listed: readonly string[];
  /** Rows that neither name what covers them nor say why nothing does (`no: …`). */
  readonly silent: readonly string[];
  /** Every file that the tables name, from the top of the repository. */
  readonly places: readonly string[];
}

export interface AcceptanceList {
  readonly page: string;
  /** How many scenarios each part of the list has, by the letter that its rows start with. */
  readonly parts: Readonly<Record<string, number>>;
  /** What stands before the slash of a name, and where such things lie: `service: packages/…/service/cases/*.yaml`. */
  readonly patterns: Readonly<Record<string, string>>;
}

/** Tests are named from the top, or from `packages`. */
const defaultPatterns = {
  base: "packages/base/*",
  core: "packages/core/*",
  dialects: "packages/dialects/*",
  platform: "packages/platform/*",
  apps: "apps/*",
  scripts: "scripts/*",
};

export function readAcceptance({ page, parts, patterns }: AcceptanceList): Acceptance {
  const isWanted = new RegExp(String.raw`^[${Object.keys(parts).join("")}]\d+$`);
  const lines = rowsOf(page);
  const rows = lines.filter(({ id }) => isWanted.test(id));
  return {
    wanted: Object.entries(parts).flatMap(([part, count]) =>
      Array.from({ length: count }, (_, i) => `${part}${i + 1}`),
    ),
    listed: rows.map(({ id }) => id),
    silent: rows.filter(({ names, cover }) => names.length === 0 && !/^no: \w+/.test(cover)).map(({ id }) => id),
    places: lines.flatMap(({ names }) => names.map((name) => placeOf(name, { ...defaultPatterns, ...patterns }))),
  };
}

interface Row {
  readonly id: string;
  readonly cover: string;
  readonly names: readonly string[];
}

/** All rows of all tables of the section. */
function rowsOf(page: string): Row[] {
  const [, after = ""] = page.split("\n## Acceptance\n");
  const [section = ""] = after.split("\n## ");
  return [...section.matchAll(/^\| (.*) \|$/gm)].map(([, row = ""]) => {
    const cells = row.split(" | ");
    const cover = cells.at(-1) ?? "";
    return { id: cells[0] ?? "", cover, names: namesIn(cover) };
  });
}

/** What looks like a place; other things in code style are words of the API. */
const namesIn = (cover: string): string[] =>
  [...cover.matchAll(/`([a-z-]+\/[a-z0-9./-]+)`/g)].map(([, name]) => name ?? "");

/** A name of no known room is a place that does not exist. */
function placeOf(name: string, patterns: Readonly<Record<string, string>>): string {
  const slash = name.indexOf("/");
  const pattern = patterns[name.slice(0, slash)];
  return pattern === undefined ? name : pattern.replace("*", name.slice(slash + 1));
}
