import { setTimeout as sleep } from "node:timers/promises";
import { send, type Call, type Reply } from "./local-api.js";
import { uniqueName } from "./unique-name.js";

/** One command with a key, and its reply where there was one. */
export interface SentCommand {
  readonly call: Call & { readonly key: string };
  /** What the memory says after it; null once it is deleted. */
  readonly leaves: { readonly name: string; readonly content: string | null };
  reply: Reply | undefined;
}

/** How long a client goes on asking nobody. */
const PATIENCE_MS = 20_000;

export interface WritersOptions {
  /** Send an unanswered command again until it is answered, as a client would; else the writer ends with it. */
  readonly persistent: boolean;
  /** How many write at a time; default 8. */
  readonly count?: number;
}

/** Clients that each store, change and delete memories of their own in one scope, with a key on every command. */
export class KeyedWriters {
  readonly scope = { user_id: uniqueName("user") };
  readonly sent: SentCommand[] = [];

  /** Writes to the server at `url` until told to stop, or until nobody answers. */
  async write(url: string, stop: AbortSignal, options: WritersOptions): Promise<void> {
    const writers = Array.from({ length: options.count ?? 8 }, async () => {
      for (let n = 0; !stop.aborted; n++) {
        for (const command of commandsOf(this.scope, n)) {
          this.sent.push(command);
          await this.deliver(url, command, options);
          if (command.reply === undefined) return;
        }
      }
    });
    await Promise.all(writers);
  }

  private async deliver(url: string, command: SentCommand, { persistent }: WritersOptions): Promise<void> {
    const deadline = performance.now() + (persistent ? PATIENCE_MS : 0);
    do {
      const reply = await send(url, command.call).catch(() => undefined);
      if (reply !== undefined && reply.status < 500) command.reply = reply;
      else if (persistent) await sleep(50);
    } while (command.reply === undefined && performance.now() < deadline);
    // Its memory's id is what the next command goes to.
    if (command.call.method === "POST") setId(command.call, command.reply);
  }

  /** The number of answered commands. */
  get answered(): number {
    return this.sent.filter(({ reply }) => reply !== undefined).length;
  }
}

const paths = new WeakMap<Call, { id: string }>();

function setId(call: Call, reply: Reply | undefined): void {
  const memory = paths.get(call);
  if (memory !== undefined && reply !== undefined) memory.id = String(reply.body.id);
}

/** Stores a memory; every other one is then changed, and every fourth one deleted. */
function* commandsOf(scope: { readonly user_id: string }, n: number): Generator<SentCommand> {
  const name = uniqueName("memory");
  const memory = { id: "" };
  const content = (state: string): string => `${name} is ${state}`;
  const create: SentCommand = {
    call: {
      method: "POST",
      path: "/v1/memories",
      body: { ...scope, content: content("new"), tags: ["a", "b"], external_id: name },
      key: `${name}-1`,
    },
    leaves: { name, content: content("new") },
    reply: undefined,
  };
  paths.set(create.call, memory);
  yield create;
  if (n % 2 === 0) return;
  yield {
    call: {
      method: "PATCH",
      path: `/v1/memories/${memory.id}`,
      body: { ...scope, content: content("changed"), tags: ["c"] },
      key: `${name}-2`,
    },
    leaves: { name, content: content("changed") },
    reply: undefined,
  };
  if (n % 4 === 1) return;
  yield {
    call: { method: "DELETE", path: `/v1/memories/${memory.id}`, query: scope, key: `${name}-3` },
    leaves: { name, content: null },
    reply: undefined,
  };
}
