const prefix = "inference.llmkube.dev";

/** Labels of everything that is made for a service: of which service, of which Model, on which engine. */
export const serviceLabel = `${prefix}/service`;
export const modelLabel = `${prefix}/model`;
export const runtimeLabel = `${prefix}/runtime`;
/** On a Job that deletes cached weights: the directory in the cache. */
export const evictionLabel = `${prefix}/evicts`;
/** The claim that the services of a namespace share, and the ConfigMap that records what is in it. */
export const sharedCacheName = "llmkube-model-cache";
/** Which template a pod was made from. */
export const templateAnnotation = `${prefix}/template`;
/** Of the source of the weights, where pods must follow it. */
export const sourceAnnotation = `${prefix}/source-version`;
/** What the number of layers on the GPU was computed for. */
export const layersAnnotation = `${prefix}/layers-sized-for`;
