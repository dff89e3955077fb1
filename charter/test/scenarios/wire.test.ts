import { describe } from "vitest";
import { testSession } from "./wire-session.ts";

/** One provider stands for all; wire.door.test.ts has the others. */
describe("a session with anthropic", () => testSession("anthropic"));
