import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export interface Listening {
  readonly url: string;
  /** Stops accepting, waits for requests in flight, then resolves. */
  drain(): Promise<void>;
}

/** Serves `app` at the address; rejects when it cannot be listened on. Port 0 takes a free one. */
export async function listen(
  app: RequestListener,
  address: { readonly host: string; readonly port: number },
): Promise<Listening> {
  const server = createServer(app);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(address.port, address.host, () => {
      server.off("error", reject);
      resolve();
    });
  });
  return { url: urlOf(server), drain: async () => await drain(server) };
}

function urlOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === "IPv6" ? `[${address}]` : address}:${String(port)}`;
}

async function drain(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    server.close(() => {
      resolve();
    });
    // close() alone would wait for clients that keep an idle connection open.
    server.closeIdleConnections();
  });
}
