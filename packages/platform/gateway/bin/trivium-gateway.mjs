#!/usr/bin/env node
// Starts the program with Node 24, whichever Node was asked to run this file.
import { startSource } from "../../../../scripts/toolchain.mjs";

startSource(new URL("../src/main.ts", import.meta.url), ["--max-semi-space-size=8"]);
