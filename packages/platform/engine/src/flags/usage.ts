import { type FlagRow, flagRows } from "./table.ts";

const placeholders: Readonly<Record<FlagRow["kind"], string>> = {
  text: " TEXT",
  integer: " N",
  number: " N",
  switch: "",
  "on-off": " [on|off|auto]",
  layers: " N|auto|all",
};

/** All flags that do something here, in the order of the table. */
export function usageText(): string {
  const rows = (Object.values(flagRows) as FlagRow[]).filter((row) => row.idle !== true && row.refused === undefined);
  const lines = rows.map((row) => {
    const names = [...row.names, ...(row.negated ?? [])].join(", ") + placeholders[row.kind];
    return row.env === undefined ? `  ${names}` : `  ${names.padEnd(50)} ${row.env}`;
  });
  return ["The local model server: llama.cpp with the flags and the HTTP API of llama-server.", "", ...lines].join(
    "\n",
  );
}
