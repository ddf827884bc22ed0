import { expect } from 'vitest'
import type { Network } from '../../../src/catalog/currencies.ts'
import { openDatabase } from '../../../src/db/database.ts'
import { newId } from '../../../src/lib/ids.ts'
import type { ChainControl } from '../../../src/sandbox/chains/control.ts'
import { startMortal } from '../faults/mortal.ts'
import { availableIn } from '../money/transactions.ts'
import type { TestApi } from '../runner/api.ts'
import { eventually } from '../runner/eventually.ts'

type Killed = {
  api: TestApi
  control: ChainControl
  makeWallet(): Promise<{ wallet: string; address: string }>
  network: Network
  settings: Record<string, string>
}

/**
 * Kills workers that scan a network: before they record what they have read, in the middle of the database transaction,
 * and after it. Each time more deposits wait for the next one. The service itself must rest. Expects that a last worker
 * credits every deposit once.
 */
export async function killScanners({ api, control, makeWallet, network, settings }: Killed): Promise<void> {
  // Scanners of other networks pass the same points.
  const own = Object.fromEntries(
    Object.entries(settings).map(([name, value]) => {
      const isOther = name.endsWith('_RPC_URLS') && name !== `SVC_${network}_RPC_URLS`
      return [name, isOther ? '' : value]
    }),
  )
  const made: { wallet: string; address: string; brought: number }[] = []
  /** Brings tokens to a new wallet, and once more to each earlier one. */
  const deposit = async () => {
    made.push({ ...(await makeWallet()), brought: 0 })
    for (const each of made) {
      each.brought += 1
      await control.faucet(network, { key: newId(), address: each.address, currency: 'USDC', amount: '1000000' })
    }
  }
  await deposit()
  for (const point of ['chain window read', 'chain window recorded']) {
    const { died } = startMortal(api, { settings: own, dieAt: { point, times: 1 } })
    expect(await died, point).toBe('SIGKILL')
    await deposit()
  }
  await killInTransaction(api, own, network === 'SOLANA' ? 'svc.token_accounts' : 'svc.chain_scans')
  await deposit()
  const worker = await api.app.startWorker()
  for (const { wallet, address, brought } of made) {
    await eventually(async () => {
      api.app.chains.wake()
      expect(await availableIn(api, wallet, 'USDC', network)).toBe(`${brought}.000000`)
    })
    const credited = await api.app.database.query({
      text: `select from svc.sightings as sighting join svc.deposits as deposit using (method, book, external_id)
              where sighting.address = $1 and sighting.method = $2 and deposit.status = 'CREDITED'`,
      values: [address, network],
    })
    expect(credited).toHaveLength(brought)
  }
  await worker.stop()
}

/** Lets a worker wait for a lock after it has moved the cursor and before it records a transfer, and kills it there. */
async function killInTransaction(api: TestApi, settings: Record<string, string>, cursors: string): Promise<void> {
  const owner = openDatabase({ connection: api.database.owner })
  await owner.inTx(async (tx) => {
    await tx.query({ text: 'lock table svc.sightings in share mode' })
    const { child, died } = startMortal(api, { settings })
    await eventually(async () => {
      const waiting = await tx.query({
        text: `select from pg_locks as waiting join pg_locks as held using (pid)
                where waiting.relation = 'svc.sightings'::regclass and not waiting.granted
                  and held.relation = $1::regclass and held.mode = 'RowExclusiveLock' and held.granted`,
        values: [cursors],
      })
      expect(waiting).not.toEqual([])
    })
    child.kill('SIGKILL')
    await died
  })
  await owner.close()
}
