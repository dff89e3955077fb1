/** Both homes, and more kills. */
import "./kill.test.ts";
