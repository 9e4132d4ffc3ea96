import { post } from "./client.mjs";
import { QUESTIONS, requestOf } from "./measure.mjs";
import { MODES } from "./modes.mjs";

/**
 * The statement of each question of a mode, captured from the server's own code, as `prepare` makes it ready to be run.
 * One after the other, so that a statement belongs to its question.
 */
export async function prepareStatements({ capturing, prepare }, { mode, size }) {
  const prepared = [];
  for (let n = 0; n < QUESTIONS; n++) {
    const captured = await capturing.during(() => post(capturing.url + MODES[mode].path, requestOf(mode, size, n)));
    prepared.push(await prepare(captured));
  }
  return prepared;
}
