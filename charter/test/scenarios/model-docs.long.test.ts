import "./model-docs.test.ts";
