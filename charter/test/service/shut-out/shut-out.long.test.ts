/** A hundred times. */
import "./shut-out.test.ts";
