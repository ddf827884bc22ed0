import { connect, createServer, type Server, type Socket } from 'node:net'
import type { Connection } from '../../../src/db/database.ts'

/**
 * A TCP proxy that sometimes loses a reply: the server gets and processes the request, but the connection breaks
 * before the answer arrives. Bytes towards the server are never lost.
 */
export type CuttingProxy = {
  /** The address to connect to instead. */
  port: number
  host: string
  cuts(): number
  /** Sets the probability that one piece of a reply is cut. */
  setRate(rate: number): void
  close(): Promise<void>
}

export type Target = { host: string; port: number } | { path: string }

export async function startCuttingProxy(target: Target, random: () => number): Promise<CuttingProxy> {
  let rate = 0
  let cuts = 0
  const sockets = new Set<Socket>()
  const server: Server = createServer((client) => {
    const upstream = connect(target)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket))
      socket.on('error', () => {})
    }
    client.pipe(upstream)
    upstream.on('data', (piece) => {
      if (random() >= rate) return client.write(piece)
      cuts += 1
      client.resetAndDestroy()
      upstream.destroy()
      return false
    })
    upstream.on('close', () => client.destroy())
    client.on('close', () => upstream.end())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  return {
    port,
    host: '127.0.0.1',
    cuts: () => cuts,
    setRate: (next) => {
      rate = next
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

/** The same database, behind a proxy that loses replies. */
export async function startDatabaseProxy(
  connection: Connection,
  random: () => number,
): Promise<{ proxy: CuttingProxy; connection: Connection }> {
  if (!('url' in connection)) {
    const proxy = await startCuttingProxy({ path: `${connection.host}/.s.PGSQL.${connection.port}` }, random)
    return { proxy, connection: { ...connection, host: proxy.host, port: proxy.port } }
  }
  const url = new URL(connection.url)
  const proxy = await startCuttingProxy({ host: url.hostname, port: Number(url.port || 5432) }, random)
  url.host = `${proxy.host}:${proxy.port}`
  return { proxy, connection: { url: url.href } }
}

/** Repeatable randomness: one seed drives a whole test and is printed when it fails (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
