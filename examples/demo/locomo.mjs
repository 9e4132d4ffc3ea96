// LoCoMo (Maharana et al., 2024) is licensed CC BY-NC 4.0: it is read where it lies, for evaluation, and never shipped.
// So questions are chosen here by rule instead of being quoted.

/** Categories of LoCoMo, and how many questions of each to ask. */
const ASKED = [
  { category: 4, kind: "single-hop", count: 3 },
  { category: 1, kind: "multi-hop", count: 2 },
  { category: 2, kind: "temporal", count: 2 },
  { category: 3, kind: "open-domain", count: 1 },
];
const FOREIGN = { category: 4, kind: "about people of another conversation", count: 2 };

/**
 * The first conversation's facts with eight of its questions, and two of the next one's that it cannot answer.
 *
 * @param {any[]} conversations
 * @returns {import("./dataset.mjs").Dataset}
 */
export function locomoDataset([own, other]) {
  const memories = factsOf(own);
  const stored = new Set(memories.flatMap((memory) => memory.metadata.turns));
  const answerable = own.qa.filter((each) => each.evidence.length > 0 && each.evidence.every((id) => stored.has(id)));
  return {
    title: `LoCoMo, conversation ${own.sample_id}`,
    licence: "CC BY-NC 4.0: to evaluate with, not to ship",
    memories,
    questions: [
      ...ASKED.flatMap((wanted) => pick(answerable, wanted).map((each) => toQuestion(each, wanted.kind))),
      ...pick(other.qa, FOREIGN).map((each) => ({ ...toQuestion(each, FOREIGN.kind), answer: null, sources: [] })),
    ],
  };
}

/** Every observed fact, dated by its session. A turn may have given several. */
function factsOf({ sample_id, conversation, observation }) {
  const perTurn = new Map();
  return Object.entries(observation).flatMap(([key, bySpeaker]) => {
    const session = key.replace("_observation", "");
    return Object.values(bySpeaker)
      .flat()
      .map(([content, source]) => {
        const turns = [source].flat();
        const count = (perTurn.get(turns[0]) ?? 0) + 1;
        perTurn.set(turns[0], count);
        return {
          content,
          event_at: toTime(conversation[`${session}_date_time`]),
          session_id: session,
          external_id: `${sample_id}/${turns.join("+")}${count > 1 ? `#${count}` : ""}`,
          namespace: "demo",
          metadata: { turns },
        };
      });
  });
}

/** `1:56 pm on 8 May, 2023`, which names no zone and is taken as UTC. */
function toTime(text) {
  const [time, date] = text.split(" on ");
  return new Date(`${date.replace(",", "")} ${time} UTC`).toISOString();
}

/** `count` questions of a category, spread evenly over the conversation. */
function pick(questions, { category, count }) {
  const all = questions.filter((each) => each.category === category);
  return Array.from({ length: count }, (_, index) => all[Math.floor(((index + 0.5) * all.length) / count)]);
}

function toQuestion({ question, answer, evidence }, kind) {
  return { question, kind, answer: String(answer), sources: evidence };
}
