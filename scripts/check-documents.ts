// Fails when a link leads nowhere, a package has no README, or a dependency is not accounted for.
import { faultsOfDocuments } from "./documents.ts";

const faults = faultsOfDocuments(".");
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exit(1);
console.log("links, package pages and dependency lines are in order");
