import { useEffect } from "preact/hooks";
import { tableOf, use } from "./live-store.ts";
import type { LiveTable } from "./table.ts";

/** Tables of the API that a component shows, current for as long as it is on the page. */
export function useTables(paths: readonly string[]): readonly LiveTable[] {
  const key = paths.join(" ");
  useEffect(() => use(key.split(" ").filter((path) => path !== "")), [key]);
  return paths.map((path) => tableOf(path).value);
}
