/** On hundreds of kilobytes. */
import "./forgery.test.ts";
