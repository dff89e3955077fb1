/** Both homes, and more kills. */
import "./crash.test.ts";
