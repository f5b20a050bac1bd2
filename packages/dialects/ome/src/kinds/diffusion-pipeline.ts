import { map, obj, opt, str } from "@trivium/schema";

const component = (what: string) =>
  obj(what, {
    library: opt(str("Library of the component")),
    type: opt(str("Class of the component in the library")),
  });

/** How an image model is put together, as its model_index.json tells. */
export const diffusionPipeline = obj("Components of a diffusion pipeline", {
  className: opt(str("Class of the pipeline")),
  scheduler: opt(component("Scheduler")),
  textEncoder: opt(component("Text encoder")),
  tokenizer: opt(component("Tokenizer")),
  transformer: opt(component("Transformer")),
  vae: opt(component("Variational autoencoder")),
  additionalComponents: opt(map("Additional components by name", component("Component"))),
});
