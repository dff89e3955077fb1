/** Every schema there ever was. */
import "./migrate.test.ts";
