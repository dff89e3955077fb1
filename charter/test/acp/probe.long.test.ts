/** Agents of every kind. */
import "./probe.test.ts";
