import { onDemand } from "../kit/on-demand.ts";

/** The editors, with their libraries, come when something is edited. */
export const WordsEditor = onDemand(() => import("./words-editor.tsx"));
export const BothTexts = onDemand(() => import("./both-texts.tsx"));
