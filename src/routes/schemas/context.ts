import { TOKENIZER } from "../../core/count-tokens.js";
import { TOKEN_BUDGET_MAX } from "../../core/limits.js";
import { z } from "../zod.js";
import { TimeReply } from "./time.js";

export const TokenBudget = z
  .int()
  .min(1)
  .max(TOKEN_BUDGET_MAX)
  .optional()
  .openapi({
    description: `Most tokens of \`injection_text\`, as ${TOKENIZER} counts them. It does not affect \`memories\`. Absent: no bound.`,
  });

const cited = {
  citation: z.int().min(1).openapi({ description: "1, 2, 3, … in the order of the context." }),
  id: z.uuid(),
  revision: z.int().min(1),
  event_at: TimeReply,
  source_site: z.string().nullable(),
};

const ContextEntry = z
  .strictObject({
    ...cited,
    content: z.string(),
    tokens: z.int().openapi({ description: "Of its block in `injection_text`, header included." }),
  })
  .openapi("ContextEntry");

const Citation = z
  .strictObject({ ...cited, source_url: z.string().nullable(), namespace: z.string().nullable() })
  .openapi("Citation");

const ContextUsage = z
  .strictObject({
    tokenizer: z.literal(TOKENIZER),
    token_budget: z.int().nullable(),
    tokens: z
      .int()
      .openapi({ description: "Of the whole `injection_text`; exact for models that use this tokenizer." }),
    omitted: z.array(z.uuid()).openapi({ description: "Memories of `memories` that did not fit, best first." }),
  })
  .openapi("ContextUsage");

/** What a search reply says for the prompt. */
export const contextFields = {
  context: z.array(ContextEntry).openapi({
    description:
      "The memories for the prompt: in ranking order, each that still fits into `token_budget`, whole or not at all.",
  }),
  injection_text: z.string().openapi({
    description:
      "The context as one text to put into a prompt; empty when nothing is in it. One `memory` element for each entry, " +
      "its text on the lines between the tags and escaped (`&lt;` for `<`), so that no memory can end its own or begin another.",
  }),
  citations: z.array(Citation).openapi({ description: "What the numbers in the context stand for." }),
  context_usage: ContextUsage,
};
