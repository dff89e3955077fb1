/** Killed at any other time as well. */
import "./crash.test.ts";
