/** Hundreds of turns on each home. */
import "./canaries.test.ts";
