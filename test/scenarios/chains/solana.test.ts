import { afterAll, expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../../src/db/database.ts'
import { resumeSigning, stopSigning } from '../../../src/signer/signing/service.ts'
import { startSolana } from '../../support/chains/solana-world.ts'
import { bankAccountOf, bankAccounts, createAccount } from '../../support/money/payment-accounts.ts'
import {
  advance,
  availableIn,
  createTransaction,
  expectVerified,
  sendDeposit,
  type Transaction,
  transferReference,
  waitForTransaction,
} from '../../support/money/transactions.ts'
import { makeSigner } from '../../support/secrets/signer.ts'

/** SOLANA over a real runtime, each balance read back by a client that is not ours. */
const world = await startSolana()
const { api, customerId, until, balanceOf, rpc, makeWallet, makeExternal, fundWallet, rows } = world
const { paymentAccountId: bank } = await createAccount(api, bankAccountOf(customerId, bankAccounts.ACH()))
afterAll(() => expectVerified(api))

const units = (amount: string) => BigInt(amount.replace('.', ''))
const complete = (transaction: Transaction) => waitForTransaction(api, transaction, { transactionStatus: 'COMPLETED' })

test('a deposit from outside is seen, becomes final and is credited once', async () => {
  const { wallet, address } = await fundWallet(25_000_000n)
  expect(await balanceOf(address)).toBe(25_000_000n)
  expect(await world.seenAt(address)).toMatchObject([{ state: 'FINAL', amount: '25000000' }])
  expect(await availableIn(api, wallet, 'USDC', 'SOLANA')).toBe('25.000000')
})

test('on-ramp to an external wallet and to a service wallet', async () => {
  const { external, address } = await makeExternal()
  const { wallet, address: walletAddress } = await makeWallet()
  const pay = async (to: string) => {
    const wish = { customerId, from: [bank, 'USD', 'ACH', '50.00'], to: [to, 'USDC', 'SOLANA'] } as const
    const transaction = await createTransaction(api, wish as never)
    const reference = transferReference(transaction)
    await sendDeposit(api, bank, { amount: '50.00', currency: 'USD', rail: 'ACH', reference })
    return complete(transaction)
  }
  const [out, inside] = await Promise.all([pay(external), pay(wallet)])
  expect(await balanceOf(address)).toBe(units(out.destination.destinationAmount))
  expect(await balanceOf(walletAddress)).toBe(units(inside.destination.destinationAmount))
  expect(units(await availableIn(api, wallet, 'USDC', 'SOLANA'))).toBe(units(inside.destination.destinationAmount))
  const [status] = (
    await rpc
      .getSignatureStatuses([out.destination.destinationReferenceId as never], { searchTransactionHistory: true })
      .send()
  ).value
  expect(status).toMatchObject({ err: null, confirmationStatus: 'finalized' })
})

test('wallet to wallet and off-ramp: the source is collected', async () => {
  const { wallet, address } = await fundWallet(100_000_000n)
  const { external, address: outside } = await makeExternal()
  const send = (to: string, currency: string, method: string, amount: string) =>
    createTransaction(api, {
      customerId,
      from: [wallet, 'USDC', 'SOLANA', amount],
      to: [to, currency, method],
    } as never)
  const direct = await complete(await send(external, 'USDC', 'SOLANA', '30'))
  expect(await balanceOf(outside)).toBe(units(direct.destination.destinationAmount))
  await complete(await send(bank, 'USD', 'ACH', '20'))
  await until(async () => {
    expect(await rows(`select from svc.payouts where purpose = 'COLLECT' and status <> 'CONFIRMED'`)).toEqual([])
  })
  expect(units(await availableIn(api, wallet, 'USDC', 'SOLANA'))).toBe(50_000_000n)
  const fee = 30_000_000n - units(direct.destination.destinationAmount)
  expect(await balanceOf(address)).toBe(50_000_000n + fee)
})

test('fees and rent of every transaction are booked once: the ledger has the coins that the relayer has', async () => {
  const relayer = (await api.app.custody.findServiceAddress('SOLANA', 'RELAYER')) ?? ''
  await until(async () => {
    expect(await rows(`select from svc.solana_transfers where state = 'OPEN' and raw is not null`)).toEqual([])
    const [booked] = await rows<{ coins: string }>(
      `select (-sum(entry.amount))::text as coins from svc.entries as entry
         join svc.ledger_accounts as account using (organization_id, account_id)
        where account.kind = 'TREASURY' and account.asset = 'SOL/SOLANA'`,
    )
    const { value } = await rpc.getBalance(relayer as never, { commitment: 'finalized' }).send()
    expect(BigInt(booked?.coins ?? 0)).toBe(value)
  })
})

test('the kill switch and the limits of the signer stop payouts, and once they end, each is paid once', async () => {
  const { wallet } = await fundWallet(100_000_000n)
  const operator = openDatabase({ ...api.database.signer, connections: 1 })
  onTestFinished(async () => {
    await resumeSigning(operator, 'ada')
    await operator.close()
  })
  await stopSigning(operator, 'a drill', 'ada')
  const stopped = await world.pay(wallet)
  await until(async () => {
    const waiting = await rows(
      `select from svc.payouts where transaction_id = $1 and status = 'WAITING' and asks > 0`,
      [stopped.transactionId],
    )
    expect(waiting).toHaveLength(1)
  })
  await resumeSigning(operator, 'ada')
  await advance(api, 'PT2M')
  await complete(stopped)
  await api.signer.stop()
  const limited = makeSigner(api.database, { SVC_SIGNER_LIMIT_PER_TRANSACTION: '5' })
  limited.start()
  const large = await world.pay(wallet)
  await until(() => expect(limited.problems.join()).toContain('LIMIT_PER_TRANSACTION'))
  await limited.stop()
  expect(await world.transfersTo(large.to)).toEqual([])
  api.signer.start()
  await advance(api, 'PT10M')
  await complete(large)
  for (const { to } of [stopped, large]) expect(await world.transfersTo(to)).toHaveLength(1)
})

test('every wallet and treasury has what the ledger says', async () => {
  await until(async () => {
    const reports = await api.app.chainPayouts.comparisons.compareAll()
    expect(reports.map(({ network, differences }) => [network, differences])).toEqual([['SOLANA', []]])
  })
})

test('the coins of the relayer are compared while payouts are on their way, and a surplus is named', async () => {
  const relayer = (await api.app.custody.findServiceAddress('SOLANA', 'RELAYER')) ?? ''
  const coins = async () => {
    const [report] = await api.app.chainPayouts.comparisons.compareAll()
    expect(report?.problem).toBeUndefined()
    return (report?.differences ?? []).filter(({ place }) => place.startsWith('relayer'))
  }
  const { wallet } = await fundWallet(100_000_000n)
  const pay = async () => {
    const { external } = await makeExternal()
    const from = [wallet, 'USDC', 'SOLANA', '5'] as const
    return createTransaction(api, { customerId, from, to: [external, 'USDC', 'SOLANA'] } as never)
  }
  const paid = await Promise.all([pay(), pay(), pay()])
  let isDone = false
  const done = Promise.all(paid.map(complete)).finally(() => {
    isDone = true
  })
  while (!isDone) expect(await coins()).toEqual([])
  await done
  const { control } = world
  await control.fault('SOLANA', { kind: 'drop_transaction', calls: 1_000 })
  const waiting = await pay()
  const open = `select from svc.solana_transfers where state = 'OPEN' and sends > 0`
  await until(async () => expect(await rows(open)).not.toEqual([]))
  await control.faucet('SOLANA', { key: 'surplus', address: relayer, currency: 'NATIVE', amount: '5' })
  await until(async () => {
    expect((await coins()).map(({ ledger, chain }) => chain - ledger)).toEqual([5n])
    expect(await rows(open)).not.toEqual([])
  })
  await control.clearFaults('SOLANA')
  await complete(waiting)
})

test('a worker compares SOLANA once a day, and the API shows the surplus that it found', async () => {
  await advance(api, 'P1D')
  const read = async () => (await api.get('/reconciliation')).body
  const { date } = await read()
  await until(async () => {
    const { accounts, networks } = await read()
    expect(networks.find(({ network }: { network: string }) => network === 'SOLANA')).toMatchObject({
      isCompared: true,
      comparedAt: expect.stringContaining(date),
    })
    const relayers = accounts.find(({ account }: { account: string }) => account === 'SOLANA SOL relayers')
    expect(relayers).toMatchObject({
      difference: '0.000000005',
      items: [{ state: 'UNEXPECTED', kind: 'ADDRESS', amount: '0.000000005' }],
    })
  })
  const daily = `select from svc.chain_comparisons where network = 'SOLANA' and is_daily and problem is null and day = $1`
  expect(await rows(daily, [date])).toHaveLength(1)
})
