/** Many moments, on both homes. */
import "./kill.test.ts";
