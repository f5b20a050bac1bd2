#!/usr/bin/env node
// Starts the program with Node 24, whichever Node was asked to run this file.
import { operatorEnvironment, operatorFlags, startBundled } from "../../../scripts/toolchain.mjs";

startBundled("operator", operatorFlags, operatorEnvironment);
