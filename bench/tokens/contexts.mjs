import { packContext } from "../../dist/core/pack-context.js";

const MEMORIES = 10;

/**
 * Every ten turns of each LoCoMo conversation as one context, as a search would give it.
 *
 * @param {any[]} conversations as locomo-5.json has them
 * @param {(text: string) => number} count
 */
export function contextsOf(conversations, count) {
  return conversations.flatMap(({ conversation }) => {
    const turns = Object.entries(conversation).flatMap(([key, session]) =>
      /^session_\d+$/.test(key) ? session.map((turn) => toMemory(turn, conversation[`${key}_date_time`])) : [],
    );
    return Array.from({ length: Math.floor(turns.length / MEMORIES) }, (_, index) => {
      const memories = turns.slice(index * MEMORIES, (index + 1) * MEMORIES);
      return { bare: memories.map(({ content }) => content).join("\n"), injectionText: pack(memories, count) };
    });
  });
}

function pack(memories, count) {
  const steps = packContext(memories, null, count);
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value.injectionText;
}

/** A session's time is `1:56 pm on 8 May, 2023`, which names no zone and is taken as UTC. */
function toMemory({ speaker, text, dia_id }, at) {
  const [time, date] = at.split(" on ");
  const eventAt = new Date(`${date.replace(",", "")} ${time} UTC`);
  return { id: dia_id, content: `${speaker}: ${text}`, eventAt, sourceSite: null };
}
