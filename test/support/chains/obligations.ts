import { expect } from 'vitest'
import type { Database } from '../../../src/db/database.ts'
import type { Rail } from '../../../src/transactions/payouts/rail.ts'
import { eventually } from '../runner/eventually.ts'

type ObligingDeps = {
  /** The owner of the schema. */
  owner: Pick<Database, 'query'>
  /** Lets the signer seal what is stored. */
  sealAll(): Promise<unknown>
  network: string
  amount: bigint
}

/** Obligations of our treasury to our reserve, which are sealed and being paid, and the worker that pays them. */
export function createObligations({ owner, sealAll, network, amount }: ObligingDeps) {
  const oblige = async (reference: string): Promise<void> => {
    await owner.query({
      text: `insert into svc.payouts (organization_id, payout_id, purpose, method, asset, amount, pays_from, status, created_at,
                    lease_until)
             select organization_id, $1, 'REBALANCE', $3, 'USDC/' || $3, $2, 'TREASURY', 'WAITING', svc.now(),
                    -- The worker of the service leaves it to the test.
                    clock_timestamp() + interval '5 minutes'
               from svc.organizations limit 1`,
      values: [reference, amount, network],
    })
    await sealAll()
    await eventually(async () => {
      const text = `update svc.payouts set status = 'SENDING', attempts = 1 where payout_id = $1 and seal is not null
                    returning payout_id`
      expect(await owner.query({ text, values: [reference] })).toHaveLength(1)
    })
  }
  const commit = async (rail: Rail, batch: Parameters<Rail['submit']>[0], attempt = 1): Promise<void> => {
    for (const { reference, key } of batch.items) {
      await owner.query({
        text: `with batch as (
                 insert into svc.payout_batches (batch_id, rail, sealed_content, not_after, created_at)
                 values ($1, $2, '', $3, svc.now()) on conflict do nothing)
               insert into svc.payout_preparations (organization_id, payout_id, attempt, batch_id, key)
               select organization_id, payout_id, $6, $1, $5 from svc.payouts where payout_id = $4
               on conflict do nothing`,
        values: [batch.batchId, rail.name, batch.notAfter, reference, key, attempt],
      })
    }
  }
  return {
    oblige,
    commit,
    /** As the worker does: the obligation exists before its bytes, which are committed before they leave. */
    workerOf: (rail: Rail): Rail => ({
      ...rail,
      prepare: async (orders, call) => {
        for (const { reference } of orders) await oblige(reference)
        return rail.prepare(orders, call)
      },
      submit: async (batch, call) => {
        call.signal.throwIfAborted()
        await commit(rail, batch)
        return rail.submit(batch, call)
      },
    }),
  }
}
