import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

export interface Listening {
  /** The address that it listens on. */
  readonly url: string;
  /** An address that reaches it from this machine: not the same where it listens on every address. */
  readonly localUrl: string;
  /** Stops accepting, waits for requests in flight, then resolves. */
  drain(): Promise<void>;
}

/** A listing's filter may have 8 KiB of JSON, which URL encoding makes up to three times as long; Node's own limit is 16 KiB. */
const HEADERS_MAX_BYTES = 32 * 1_024;

/** Serves `app` at the address; rejects when it cannot be listened on. Port 0 takes a free one. */
export async function listen(
  app: RequestListener,
  address: { readonly host: string; readonly port: number },
): Promise<Listening> {
  const server = createServer({ maxHeaderSize: HEADERS_MAX_BYTES }, app);
  const open = new OpenConnections(server);
  server.listen(address.port, address.host);
  await once(server, "listening").catch((error: unknown) => {
    const where = `${address.host}, port ${String(address.port)}`;
    throw new Error(`cannot listen on ${where}: ${whyNot(error as NodeJS.ErrnoException)}`, { cause: error });
  });
  const bound = server.address() as AddressInfo;
  return {
    url: urlOf(bound),
    localUrl: urlOf({ ...bound, address: LOOPBACK_OF[bound.address] ?? bound.address }),
    drain: async () => {
      const closed = new Promise<void>((resolve) => {
        server.close(() => {
          resolve();
        });
      });
      open.letGo();
      await closed;
    },
  };
}

function whyNot({ code, message }: NodeJS.ErrnoException): string {
  if (code === "EADDRINUSE") return "another process has that port; set PORT to a free one";
  if (code === "EACCES") return "ports below 1024 are not for everyone; set PORT to a higher one";
  return `${message}; check HOST and PORT`;
}

const LOOPBACK_OF: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

function urlOf({ address, family, port }: AddressInfo): string {
  return `http://${family === "IPv6" ? `[${address}]` : address}:${String(port)}`;
}

/** What a closing server would otherwise wait for, although no request is in flight on it. */
class OpenConnections {
  /** Connections that have not brought a request yet; Node counts them as busy. */
  private readonly silent = new Set<Socket>();
  private readonly replies = new Set<ServerResponse>();
  private draining = false;

  constructor(private readonly server: Server) {
    server.on("connection", (socket) => {
      this.silent.add(socket);
      socket.once("close", () => this.silent.delete(socket));
    });
    server.on("request", this.follow);
  }

  /** Closes what is idle now, and every other connection after the reply that it waits for. */
  letGo(): void {
    this.draining = true;
    for (const socket of this.silent) socket.destroy();
    for (const reply of this.replies) if (!reply.headersSent) reply.setHeader("Connection", "close");
    this.closeIdle();
  }

  private readonly closeIdle = (): void => {
    this.server.closeIdleConnections();
  };

  private readonly follow = (request: IncomingMessage, reply: ServerResponse): void => {
    this.silent.delete(request.socket);
    this.replies.add(reply);
    reply.once("close", () => {
      this.replies.delete(reply);
      if (this.draining) setImmediate(this.closeIdle);
    });
  };
}
