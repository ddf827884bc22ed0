import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { openDatabase } from '../src/db/database.ts'
import { newId } from '../src/lib/ids.ts'
import type { WrittenRule } from '../src/policies/policy.ts'
import { createTransactions } from '../src/transactions/store.ts'
import { startBenchApi } from './support/api.ts'
import { median, withDatabase } from './support/database.ts'
import { restoreCounters } from './support/policy-counters.ts'
import { fillWallets } from './support/wallets.ts'

/**
 * Measures the CPU time of the statement behind POST /transactions in its PostgreSQL process, with and without a policy,
 * for batches of 32 on one connection. Every call is rolled back. Medians of many short calls hold on a busy machine.
 */
const [batchSize, rounds, callsPerRound] = [32, 12, 10]
const limit: WrittenRule = {
  ruleId: 'total',
  kind: 'LIMIT',
  per: 'ORGANIZATION',
  transactionMax: '1000000.00',
  hourMax: '1000000000.00',
  dayMax: '1000000000.00',
  monthMax: '1000000000.00',
}
const perCustomer: WrittenRule = { ruleId: 'customer', kind: 'LIMIT', per: 'CUSTOMER', dayMax: '1000000000.00' }
const policies: Record<string, WrittenRule[]> = {
  'no policy': [],
  'one limit per organization': [limit],
  'four rules, one counted per organization': [
    limit,
    { ruleId: 'large', kind: 'APPROVAL', above: '1000000.00', approvals: 2, expiresInHours: 24 },
    { ruleId: 'solana', kind: 'KILL_SWITCH', appliesTo: { networks: ['SOLANA'] } },
    { ruleId: 'wire', kind: 'KILL_SWITCH', appliesTo: { rails: ['WIRE'] } },
  ],
  'one limit per customer': [perCustomer],
  'one limit per customer, first payments of a month': [perCustomer],
}

class Undo extends Error {}

await withDatabase(async (database) => {
  const { app, calls, stop } = await startBenchApi(database, Buffer.alloc(32, 7))
  const filled = await fillWallets(app, database, calls, { wallets: 500, quoteCount: 2_000 })
  const { organizationId, many } = filled
  const owner = openDatabase({ connection: database.owner })
  const direct = openDatabase({ ...database.app, connections: 1 })
  const call = async () => {
    const wanted = Array.from({ length: batchSize }, () => ({
      request: { organizationId, route: 'POST /transactions', key: newId(), fingerprint: randomBytes(32) },
      organizationIds: [organizationId],
      apiKeyId: newId(),
      quoteId: many[Math.floor(Math.random() * many.length)] ?? '',
      transactionId: newId(),
      eventId: newId(),
      reserveId: newId(),
      approvalId: newId(),
      correlationId: undefined,
      transferMessage: '',
    }))
    let micros = 0
    await direct
      .inTx(async (tx) => {
        const [{ pid } = { pid: 0 }] = await tx.query<{ pid: number }>({ text: 'select pg_backend_pid() as pid' })
        const before = cpuMicros(pid)
        await createTransactions(tx, wanted)
        micros = cpuMicros(pid) - before
        throw new Undo()
      })
      .catch((error: unknown) => {
        if (!(error instanceof Undo)) throw error
      })
    return micros / batchSize
  }
  const measured: Record<string, number[]> = {}
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, rules] of Object.entries(policies)) {
      await app.policies.replaceAsPlatform(organizationId, { rules })
      if (name === 'one limit per customer') await restoreCounters(owner, organizationId)
      for (let at = 0; at < callsPerRound; at += 1) {
        const micros = await call()
        if (round > 0) measured[name] = [...(measured[name] ?? []), micros]
      }
    }
  }
  const without = median(measured['no policy'] ?? [])
  for (const [name, all] of Object.entries(measured)) {
    const micros = median(all)
    console.log(`${name}: ${micros.toFixed(1)} µs in PostgreSQL per request, ${(micros - without).toFixed(1)} more`)
  }
  await direct.close()
  await owner.close()
  await stop()
})

/** The CPU time of a process, from Linux. */
function cpuMicros(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1_000
}
