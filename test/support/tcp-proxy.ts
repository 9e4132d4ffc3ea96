import { connect, createServer, type AddressInfo, type Socket } from "node:net";

export interface TcpProxy {
  readonly port: number;
  /** Cuts every connection and refuses new ones, as a server that is gone does. */
  cut(): Promise<void>;
  /** Accepts connections again, on the same port. */
  mend(): Promise<void>;
}

/** A loopback port that leads to another one, and that can be taken away and given back. */
export async function startTcpProxy(host: string, port: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy()).on("close", () => sockets.delete(socket));
  };
  const server = createServer((near) => {
    const far = connect(port, host);
    keep(near);
    keep(far);
    // One side that breaks off takes the other along: a connection without a far end would never answer.
    near.on("close", () => far.destroy());
    far.on("close", () => near.destroy());
    near.pipe(far).pipe(near);
  });
  const open = async (at: number): Promise<void> => {
    await new Promise<void>((resolve) => server.listen(at, "127.0.0.1", resolve));
  };
  await open(0);
  const own = (server.address() as AddressInfo).port;
  return {
    port: own,
    cut: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.resetAndDestroy();
      await closed;
    },
    mend: async () => {
      await open(own);
    },
  };
}
