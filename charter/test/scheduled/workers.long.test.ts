/** More that is due. */
import "./workers.test.ts";
