import { createAssemble } from "./assembly.ts";
import { inertTogether } from "./inert.ts";

/** Charter + readings → prompt. Pure: the same in, the same bytes. */
export const assemble = createAssemble(inertTogether);
