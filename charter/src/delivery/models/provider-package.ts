import type { Purpose } from "../../packages/missing-package.ts";

/** Why a provider's package is wanted, where it is not installed. */
export const forProvider: Purpose = { purpose: "Loading a model by its name" };
