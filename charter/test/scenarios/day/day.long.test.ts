/** The whole day, on both homes. */
import "./day.test.ts";
