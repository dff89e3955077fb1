/** Every command that reads. */
import "./read-only.test.ts";
