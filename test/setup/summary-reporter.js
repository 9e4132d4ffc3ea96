import { printAtExit } from "./closing-line.js";

/** Closes a run with its counts; a test file that cannot run is one failure, a todo is skipped. */
export default class SummaryReporter {
  /**
   * @param {ReadonlySet<unknown>} _contexts
   * @param {import("@jest/reporters").AggregatedResult} results
   */
  onRunComplete(_contexts, results) {
    printAtExit({
      passed: results.numPassedTests,
      failed: results.numFailedTests + results.numRuntimeErrorTestSuites,
      skipped: results.numPendingTests + results.numTodoTests,
    });
  }
}
