/** Each row after everything that makes a session invalid; and an agent that is told to stop does not. */
import "./seed-rows.test.ts";
