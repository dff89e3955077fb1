import type { Home } from "./home/database.ts";
import type { NewId } from "./id.ts";
import type { Texts } from "./texts/text.ts";

/** What every part of a store works with. */
export type StoreDeps = {
  readonly home: Home;
  readonly texts: Texts;
  readonly now: () => string;
  readonly newId: NewId;
};
