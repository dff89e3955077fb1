import "./endurance.test.ts";
