/** What takes a launcher that is late, and a package script. */
import "./told-again.test.ts";
