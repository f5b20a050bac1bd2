// Fails when an import points up, past a door, or when a pure package touches the outside world.
import { readFileSync } from "node:fs";
import { type Architecture, faultsOfArchitecture, readSources } from "./architecture.ts";

const architecture = JSON.parse(readFileSync("architecture.json", "utf8")) as Architecture;
const files = readSources(".");
const faults = faultsOfArchitecture(architecture, files);
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exit(1);
console.log(`${files.length} files keep to architecture.json`);
