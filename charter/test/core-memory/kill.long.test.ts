/** Every moment, on both homes. */
import "./kill.test.ts";
