/** Every signal, by every way, on every Node. */
import "./told-to-end.test.ts";
