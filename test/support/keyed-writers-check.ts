import { expect } from "@jest/globals";
import type { KeyedWriters, SentCommand } from "./keyed-writers.js";
import { send } from "./local-api.js";

/**
 * After whatever has happened to the server: each answered command is replayed byte for byte, each unanswered one is
 * done once, what there is is what the commands leave, and the journal has one event for each without a gap.
 */
export async function checkWriters(url: string, writers: KeyedWriters): Promise<void> {
  await resendAll(url, writers.sent);
  const left = new Map(writers.sent.map(({ leaves }) => [leaves.name, leaves.content]));
  const expected = [...left.values()].filter((content) => content !== null);
  expect((await listContents(url, writers.scope)).sort()).toEqual(expected.sort());
  const events = await readEvents(url, writers.scope);
  expect(events.map(({ seq }) => Number(seq))).toEqual(events.map((_, index) => index + 1));
  expect(events.filter(({ kind }) => kind !== "embedding_attached")).toHaveLength(writers.sent.length);
}

async function resendAll(url: string, sent: readonly SentCommand[]): Promise<void> {
  const left = [...sent];
  const senders = Array.from({ length: 4 }, async () => {
    for (let command = left.shift(); command !== undefined; command = left.shift()) await resend(url, command);
  });
  await Promise.all(senders);
}

async function resend(url: string, command: SentCommand): Promise<void> {
  const retried = await send(url, command.call);
  expect({ status: retried.status, text: retried.text }).toMatchObject({
    status: command.call.method === "POST" ? 201 : 200,
  });
  if (command.reply !== undefined) {
    expect({ text: retried.text, replayed: retried.replayed }).toEqual({ text: command.reply.text, replayed: true });
  }
  command.reply ??= retried;
}

async function listContents(url: string, scope: { readonly user_id: string }): Promise<string[]> {
  const contents: string[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const query: Record<string, string> = { ...scope, limit: "100", ...(cursor === "" ? {} : { cursor }) };
    const { body } = await send(url, { method: "GET", path: "/v1/memories", query });
    contents.push(...(body.memories as { content: string }[]).map((memory) => memory.content));
    cursor = body.next_cursor as string | null;
  }
  return contents;
}

async function readEvents(url: string, scope: { readonly user_id: string }): Promise<{ seq: string; kind: string }[]> {
  const events: { seq: string; kind: string }[] = [];
  for (let after = "", complete = false; !complete;) {
    const query: Record<string, string> = { ...scope, limit: "256", ...(after === "" ? {} : { after }) };
    const { body } = await send(url, { method: "GET", path: "/v1/changes", query });
    events.push(...(body.events as { seq: string; kind: string }[]));
    after = body.next_cursor as string;
    complete = body.complete as boolean;
  }
  return events;
}
