/** Every command, and everything that can be wrong with a key. */
import "./keys.test.ts";
