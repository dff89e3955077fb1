import { loadPackage } from "../../packages/load-package.ts";
import type { ProviderPackage } from "./table/connection.ts";

/** Loads a provider's package, or says that it is not installed, and what for it is wanted. */
export const loadProviderPackage = <Name extends ProviderPackage>(name: Name) =>
  loadPackage(name, { purpose: "Loading a model by its name" });
