#!/usr/bin/env node
// `kubectl trivium …`: kubectl runs the program of this name. Help shows what the user typed.
process.env.TRIVIUM_COMMAND = "kubectl trivium";
await import("./trivium.mjs");
