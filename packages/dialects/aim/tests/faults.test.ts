// One process for all: to load what they need takes longer than to run them.
import "./faults-order.ts";
import "./faults-output.ts";
import "./faults-registry.ts";
