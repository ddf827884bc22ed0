import { randomUUID } from 'node:crypto'
import { Pool } from 'undici'
import type { Load, Result } from './load.ts'

const load = await new Promise<Load>((resolve) => process.once('message', resolve as (load: unknown) => void))
const { origin, pathname: path } = new URL(load.url)
const pool = new Pool(origin, { connections: load.connections, pipelining: 1 })
const until = performance.now() + load.seconds * 1_000
const times: number[] = []
let sent = 0

async function keepBusy(): Promise<void> {
  while (performance.now() < until && !(load.isOnce && sent >= load.bodies.length)) {
    const asked = load.paths?.[sent % load.paths.length]
    const body = load.bodies[sent++ % load.bodies.length] ?? ''
    const started = performance.now()
    const headers = load.isKeyed ? { ...load.headers, 'x-idempotency-key': randomUUID() } : load.headers
    const answer = await pool.request(
      asked === undefined ? { path, method: 'POST', headers, body } : { path: asked, method: 'GET', headers },
    )
    const text = await answer.body.text()
    if (answer.statusCode !== load.expectStatus) throw new Error(`answered ${answer.statusCode}: ${text}`)
    times.push(performance.now() - started)
  }
}

const started = performance.now()
await Promise.all(Array.from({ length: load.connections }, keepBusy))
const seconds = (performance.now() - started) / 1_000
await pool.close()
times.sort((a, b) => a - b)
const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0
const result: Result = {
  perSecond: times.length / seconds,
  p50Ms: at(0.5),
  p99Ms: at(0.99),
  answers: times.length,
}
process.send?.(result)
process.disconnect()
