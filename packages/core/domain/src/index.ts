export * from "./benchmark/index.ts";
export * from "./hardware/index.ts";
export * from "./health/index.ts";
export {
  askedEvery,
  type BrokenFile,
  type HeaderPlace,
  imageConfig,
  isBusy,
  isServed,
  type LocalFile,
  type LogPlace,
  lastWarning,
  localDigest,
  localFile,
  logOnce,
  logTail,
  modelHeader,
  type RepositoryFile,
  type RepositoryListing,
  registryRepositories,
  registryTags,
  repositoryFiles,
  type SourceHead,
  type SourceRefusal,
  servedModels,
  sourceHead,
  type WarningReport,
} from "./queries.ts";
export * from "./serving/index.ts";
export * from "./traffic/index.ts";
export * from "./weights/index.ts";
