declare module "virtual:apis" {
  export const apis: readonly import("./apis.ts").ApiTable[];
}

declare module "*.css";
