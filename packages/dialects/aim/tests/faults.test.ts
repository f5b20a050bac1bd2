// One process for both: to load what they need takes longer than to run them.
import "./faults-order.ts";
import "./faults-registry.ts";
