/** Told to stop as well as killed. */
import "./faults-process.test.ts";
