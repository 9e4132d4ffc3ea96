/** @type {import("jest").Config} */
export default {
  testEnvironment: "node",
  roots: ["<rootDir>/test"],
  testMatch: ["**/*.test.ts"],
  extensionsToTreatAsEsm: [".ts"],
  moduleNameMapper: { "^(\\.{1,2}/.*)\\.js$": "$1" },
  transform: {
    "\\.ts$": [
      "@swc/jest",
      {
        swcrc: false,
        jsc: { parser: { syntax: "typescript" }, target: "es2023" },
        module: { type: "es6" },
        sourceMaps: "inline",
      },
    ],
  },
  globalSetup: "<rootDir>/test/setup/global-setup.js",
  globalTeardown: "<rootDir>/test/setup/global-teardown.js",
  reporters: ["default", "<rootDir>/test/setup/summary-reporter.js"],
  maxWorkers: 2,
  testTimeout: 30_000,
};
