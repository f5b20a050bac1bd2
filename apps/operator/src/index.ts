export { type Composition, type Context, type Operator, type OperatorParts, startOperator } from "./compose.ts";
export { type ChartValue, type Chosen, chartValues, type ValueName } from "./install/chart-values.ts";
export { dashboardQueries } from "./install/dashboard.ts";
export { emitInstallation, installationParts } from "./install/installation.ts";
export { formatTemplate, type Part } from "./install/value.ts";
export { type OperatorOptions, parseOptions } from "./options.ts";
export { emitRbac, formatRbac } from "./rbac.ts";
export { runOperator } from "./run.ts";
