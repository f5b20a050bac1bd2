// The same as in `npm test`, more of it: there is time for that only here. It needs no cluster.
process.env.FAULT_RUNS ??= "20";
process.env.FAULT_SEED ??= "99";
await import("./faults-order.ts");
