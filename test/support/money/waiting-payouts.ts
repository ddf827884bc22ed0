import { expect } from 'vitest'
import type { TestApi } from '../runner/api.ts'
import { eventually } from '../runner/eventually.ts'
import { advance, readTransaction, type Transaction } from './transactions.ts'

/** Waits until a worker has postponed the payout of a transaction. */
export async function waitForWaiting(api: TestApi, { transactionId }: Transaction, times = 1): Promise<void> {
  const text = `select asks from svc.payouts where transaction_id = $1 and purpose = 'PAYOUT' and status = 'WAITING'`
  await eventually(async () => {
    const [payout] = await api.app.database.query<{ asks: number }>({ text, values: [transactionId] })
    expect(payout?.asks).toBeGreaterThanOrEqual(times)
  })
}

/** Lets the workers re-check a payout that waits, and expects that it still waits. */
export async function expectWaiting(api: TestApi, transaction: Transaction): Promise<void> {
  await waitForWaiting(api, transaction)
  const text = `update svc.payouts set asks = 1 where transaction_id = $1 and status = 'WAITING'`
  await api.app.database.query({ text, values: [transaction.transactionId] })
  await advance(api, 'PT1M')
  await waitForWaiting(api, transaction, 2)
  expect(await readTransaction(api, transaction)).toMatchObject({ transactionStatus: 'PROCESSING' })
}
