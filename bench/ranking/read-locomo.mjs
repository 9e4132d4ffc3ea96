import { readFileSync } from "node:fs";

/**
 * LoCoMo (Maharana et al. 2024): every conversation as a scope of its own, once of facts (the observations) and once of
 * turns, with the questions that have evidence there. Times are the sessions' dates, in ms.
 *
 * @param {URL} folder
 */
export function readLocomo(folder) {
  const conversations = JSON.parse(readFileSync(new URL("locomo-5.json", folder), "utf8")).map(readConversation);
  return {
    facts: conversations.map(({ facts, questions, now }) => toScope(facts, questions, now)),
    turns: conversations.map(({ turns, questions, now }) => toScope(turns, questions, now)),
  };
}

function readConversation({ conversation, observation, qa }) {
  const turns = [];
  const facts = [];
  for (let session = 1; conversation[`session_${session}`] !== undefined; session++) {
    const time = readTime(conversation[`session_${session}_date_time`]);
    for (const turn of conversation[`session_${session}`]) {
      turns.push({ text: `${turn.speaker}: ${turn.text}`, time, evidence: [turn.dia_id] });
    }
    for (const [text, ids] of Object.values(observation[`session_${session}_observation`] ?? {}).flat()) {
      facts.push({ text, time, evidence: [ids].flat() });
    }
  }
  const questions = qa.map(({ question, evidence, category }) => ({
    text: question,
    group: category === 5 ? "adversarial" : "plain",
    evidence: new Set((evidence ?? []).flatMap((each) => each.match(/D\d+:\d+/g) ?? [])),
  }));
  return { turns, facts, questions, now: Math.max(...turns.map(({ time }) => time)) };
}

/** Documents and queries; `gold`: which documents are relevant. Queries without any are left out. */
function toScope(documents, questions, now) {
  const queries = questions.map(({ text, group, evidence }) => ({
    text,
    group,
    gold: documents.flatMap((document, index) => (document.evidence.some((id) => evidence.has(id)) ? [index] : [])),
  }));
  return {
    documents: documents.map(({ text, time }) => ({ text, time })),
    queries: queries.filter(({ gold }) => gold.length > 0),
    now,
  };
}

/** `1:56 pm on 8 May, 2023`, as UTC. */
function readTime(printed) {
  const [, hour, minute, half, date] = /^(\d+):(\d+) (am|pm) on (.+)$/.exec(printed);
  const hours = (Number(hour) % 12) + (half === "pm" ? 12 : 0);
  return Date.parse(`${date} UTC`) + (hours * 60 + Number(minute)) * 60_000;
}
