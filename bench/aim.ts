import { measureFleet, type Waking } from "./aim/measure-fleet.ts";
import { printTable, seconds } from "./support/table.ts";

/** AIM services over models and templates from nothing to all their children on the embedded server. No nodes. */
const size = { models: 200, templates: 2_000, services: Number(process.argv[2] ?? 1_000) };

const fleet = await measureFleet(size);
const woken = (who: keyof Waking): string[] => [`${fleet.woken[who]}`, `${fleet.concerned[who]}`];
const each = (count: number): string => (count / size.services).toFixed(2);
printTable([
  [`${size.services} services, ${size.models} models, ${size.templates} templates, embedded server`, "", "aim"],
  ["until all children are written", seconds(fleet.took), "at most 20 s"],
  ["until all is written", seconds(fleet.whole), ""],
  ["processor time of server and operator", seconds(fleet.processor), ""],
  ["writes a service, its children with it", each(fleet.writes - fleet.waits), "at most 5"],
  ["… to tell that it waits for its model", each(fleet.waits), ""],
  ["… Events besides", each(fleet.events), ""],
  ["passes a service", each(fleet.passes), ""],
  ["writes in a minute at rest", `${fleet.atRest}`, "0"],
  ["a template changes: passes of services, one that some run on", ...woken("users")],
  ["… one of the same model that they do not run on", ...woken("unused")],
  ["… one that some wait for", ...woken("waiting")],
]);
