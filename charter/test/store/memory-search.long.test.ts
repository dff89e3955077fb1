import "./memory-search.test.ts";
