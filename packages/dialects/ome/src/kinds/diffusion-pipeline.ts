import { map, obj, opt, str } from "@trivium/schema";

const component = (what: string) =>
  obj(what, {
    library: opt(str("Library it comes from")),
    type: opt(str("Class of that library")),
  });

/** How an image model is put together, as its model_index.json tells. */
export const diffusionPipeline = obj("The parts of a diffusion model", {
  className: opt(str("Class of the whole pipeline")),
  scheduler: opt(component("Its scheduler")),
  textEncoder: opt(component("Its text encoder")),
  tokenizer: opt(component("Its tokenizer")),
  transformer: opt(component("Its transformer")),
  vae: opt(component("Its variational autoencoder")),
  additionalComponents: opt(map("Further parts by name", component("A part"))),
});
