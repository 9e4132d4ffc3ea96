import js from "@eslint/js";
import { defineConfig, globalIgnores } from "eslint/config";
import tseslint from "typescript-eslint";

const COUNTED = { skipBlankLines: true, skipComments: true };

const NO_DEFAULT_EXPORT = {
  selector: "ExportDefaultDeclaration, ExportNamedDeclaration > ExportSpecifier[exported.name='default']",
  message: "Export by name, so that a thing has one name everywhere.",
};

const ONLY_IN_CONFIG = "Only src/config.ts reads the environment; everything else is told.";

export default defineConfig(
  globalIgnores(["dist/", "coverage/", ".memgate/", "bench/results/"]),
  { linterOptions: { reportUnusedDisableDirectives: "error" } },
  js.configs.recommended,
  tseslint.configs.strictTypeChecked,
  tseslint.configs.stylisticTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      complexity: ["error", 12],
      eqeqeq: ["error", "always", { null: "ignore" }],
      "max-lines": ["error", { max: 250, ...COUNTED }],
      "no-restricted-syntax": ["error", NO_DEFAULT_EXPORT],
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", ignoreRestSiblings: true }],
    },
  },
  {
    files: ["src/**"],
    rules: {
      "max-lines-per-function": ["error", { max: 60, ...COUNTED }],
      "max-params": ["error", 3],
      "no-console": "error",
      "no-restricted-imports": [
        "error",
        { paths: ["process", "node:process"].map((name) => ({ name, message: ONLY_IN_CONFIG })) },
      ],
      "no-restricted-properties": ["error", { object: "process", property: "env", message: ONLY_IN_CONFIG }],
      "no-restricted-syntax": [
        "error",
        NO_DEFAULT_EXPORT,
        { selector: "MemberExpression[property.name='env'][object.property.name='process']", message: ONLY_IN_CONFIG },
      ],
    },
  },
  {
    files: ["src/config.ts", "src/cli.ts"],
    rules: { "no-restricted-properties": "off" },
  },
  {
    files: ["src/commands/**", "src/cli.ts"],
    rules: { "no-console": "off" },
  },
  {
    files: ["test/**"],
    rules: {
      complexity: ["error", 20],
      "@typescript-eslint/no-non-null-assertion": "off",
      "@typescript-eslint/unbound-method": "off",
    },
  },
  {
    files: ["**/*.js", "**/*.mjs", "**/*.cjs"],
    // tsc checks these files too: it knows the globals, and it reads the JSDoc that types what comes from outside.
    rules: {
      "no-undef": "off",
      "@typescript-eslint/no-unsafe-argument": "off",
      "@typescript-eslint/no-unsafe-assignment": "off",
      "@typescript-eslint/no-unsafe-call": "off",
      "@typescript-eslint/no-unsafe-member-access": "off",
      "@typescript-eslint/no-unsafe-return": "off",
    },
  },
  {
    files: ["*.config.js", "test/setup/*.js"],
    rules: { "no-restricted-syntax": "off" },
  },
  {
    files: ["*.config.js", "**/*.cjs", "bench/**/*.mjs", "examples/**/*.mjs"],
    extends: [tseslint.configs.disableTypeChecked],
  },
);
