/** Ten thousand of them. */
import "./hostile.test.ts";
