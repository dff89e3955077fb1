/** Each in a process of its own. */
import "./examples.test.ts";
