#!/usr/bin/env node
// Starts the program with Node 24, whichever Node was asked to run this file.
import { ensureInstalled, startProgram } from "../../../scripts/toolchain.mjs";

ensureInstalled();
startProgram(process.argv.slice(2));
