import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Where the built pages are: beside a bundle, or where a checkout builds them. */
export function findAssets(here: string = fileURLToPath(import.meta.url)): string {
  const folder = dirname(here);
  return here.endsWith(".mjs") ? join(folder, "dashboard") : join(folder, "../../../../apps/dashboard/dist");
}
