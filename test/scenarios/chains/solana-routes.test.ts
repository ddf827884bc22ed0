import { AccountRole, type Address } from '@solana/kit'
import { getTransferSolInstruction } from '@solana-program/system'
import { afterEach, expect, test } from 'vitest'
import { newId } from '../../../src/lib/ids.ts'
import { openOutsideWallet } from '../../support/chains/outside-wallet.ts'
import { connectSolana } from '../../support/chains/solana-client.ts'
import { mintOf, startSolana } from '../../support/chains/solana-world.ts'
import {
  bankAccountOf,
  bankAccounts,
  createAccount,
  externalWalletOf,
  serviceWalletOf,
} from '../../support/money/payment-accounts.ts'
import {
  advance,
  availableIn,
  createTransaction,
  expectVerified,
  readTransaction,
  type Transaction,
  waitForTransaction,
} from '../../support/money/transactions.ts'
import { makeEvmAddress } from '../../support/money/wallet-addresses.ts'

/** Routes between SOLANA and an EVM network, and transfers in from wallets of customers that follow a payment link. */
const world = await startSolana({ hasEvm: true })
const { api, control, customerId, until, balanceOf, rows, seenAt, makeExternal, evm } = world
if (!evm) throw new Error('this world has EVM networks')
afterEach(() => expectVerified(api))

const units = (amount: string) => BigInt(amount.replace('.', ''))
const complete = (made: Transaction) => waitForTransaction(api, made, { transactionStatus: 'COMPLETED' })
const outside = await openOutsideWallet(evm, 'BASE')

const areCollected = () =>
  until(async () => {
    expect(await rows(`select from svc.payouts where purpose = 'COLLECT' and status <> 'CONFIRMED'`)).toEqual([])
  })

test('from SOLANA to BASE, and from BASE to SOLANA: the treasuries pay, and collect the sources', async () => {
  const { wallet } = await world.fundWallet(40_000_000n)
  const base = makeEvmAddress()
  const far = await createAccount(api, externalWalletOf(customerId, { chain: 'BASE', currency: 'USDC', address: base }))
  const there = await complete(
    await createTransaction(api, {
      customerId,
      from: [wallet, 'USDC', 'SOLANA', '25'],
      to: [far.paymentAccountId, 'USDC', 'BASE'],
    } as never),
  )
  expect(await outside.balanceOf(base)).toBe(units(there.destination.destinationAmount))
  const evmWallet = await createAccount(api, serviceWalletOf(customerId))
  await outside.transfer(evmWallet.svcCryptoWallet?.address.address ?? '', 30_000_000n)
  await until(async () => expect(await availableIn(api, evmWallet.paymentAccountId, 'USDC', 'BASE')).toBe('30.000000'))
  const { external, address } = await makeExternal()
  const back = await complete(
    await createTransaction(api, {
      customerId,
      from: [evmWallet.paymentAccountId, 'USDC', 'BASE', '30'],
      to: [external, 'USDC', 'SOLANA'],
    } as never),
  )
  expect(await balanceOf(address)).toBe(units(back.destination.destinationAmount))
  await areCollected()
  const treasury = (await api.app.custody.findServiceAddress('SOLANA', 'TREASURY')) ?? ''
  const [booked] = await rows<{ units: string }>(
    `select (-sum(entry.amount))::text as units from svc.entries as entry
       join svc.ledger_accounts as account using (organization_id, account_id)
      where account.kind = 'TREASURY' and account.asset = 'USDC/SOLANA'`,
  )
  expect(BigInt(booked?.units ?? 0)).toBe(await balanceOf(treasury))
})

const payer = await connectSolana(world.rpcUrl)
for (const [currency, amount] of [
  ['NATIVE', 10n ** 10n],
  ['USDC', 10n ** 12n],
] as const) {
  await control.faucet('SOLANA', { key: newId(), address: payer.wallet.address, currency, amount: String(amount) })
}
const bank = await createAccount(api, bankAccountOf(customerId, bankAccounts.ACH()))
const source = await createAccount(
  api,
  externalWalletOf(customerId, { chain: 'SOLANA', currency: 'USDC', address: payer.wallet.address }),
)

/** A transaction that awaits 25 USDC on Solana, with the fields of its payment link. */
async function sell() {
  await api.app.rates.refresh()
  const made = await createTransaction(api, {
    customerId,
    from: [source.paymentAccountId, 'USDC', 'SOLANA', '25'],
    to: [bank.paymentAccountId, 'USD', 'ACH'],
  } as never)
  const { transferUri } = made.transferInstructions as Extract<Transaction['transferInstructions'], { type: 'crypto' }>
  const link = /^solana:(\w{32,44})\?amount=([\d.]+)&spl-token=(\w{32,44})&reference=(\w{32,44})$/.exec(transferUri)
  const [, address = '', amount = '', mint = '', reference = ''] = link ?? []
  return { made, address: address as Address, amount: units(amount), mint, reference: reference as Address }
}

/** Pays as a wallet does that follows the link: the reference is one more account of the transfer. */
async function pay(address: Address, amount: bigint, reference?: Address): Promise<void> {
  const [creation, transfer] = await payer.payment(address, amount)
  if (!creation || !transfer) throw new Error('a payment has two instructions')
  const named = reference ? [{ address: reference, role: AccountRole.READONLY }] : []
  await payer.send([creation, { ...transfer, accounts: [...(transfer.accounts ?? []), ...named] }], {}, 'finalized')
}

const becomes = (made: Transaction, expected: object) =>
  until(async () => expect(await readTransaction(api, made)).toMatchObject(expected))

test('a wallet that follows the payment link pays the transaction, which its reference finds', async () => {
  const { made, address, amount, mint, reference } = await sell()
  expect([amount, mint]).toEqual([25_000_000n, mintOf()])
  await pay(address, amount, reference)
  await becomes(made, { transactionStatus: 'COMPLETED' })
  const found = await world.rpc.getSignaturesForAddress(reference).send()
  const [seen] = await seenAt(address)
  expect(found.map(({ signature }) => signature)).toContain(seen?.externalId.split(':')[0])
  await areCollected()
})

test('two transfers pay a transaction together, and it waits for the second', async () => {
  const { made, address } = await sell()
  await pay(address, 10_000_000n)
  await until(async () => expect(await seenAt(address)).toMatchObject([{ depositStatus: 'APPLIED' }]))
  expect(await readTransaction(api, made)).toMatchObject({ transactionStatus: 'AWAITING_TRANSFER' })
  await pay(address, 15_000_000n)
  await becomes(made, { transactionStatus: 'COMPLETED' })
})

test('an excess is returned, and the quoted amount executed', async () => {
  const { made, address } = await sell()
  const before = await balanceOf(payer.wallet.address)
  await pay(address, 40_000_000n)
  await becomes(made, { transactionStatus: 'COMPLETED', labels: ['OVERPAID'] })
  await until(async () => expect(await balanceOf(payer.wallet.address)).toBeGreaterThan(before - 40_000_000n))
})

test('a transfer after the end of its transaction is returned', async () => {
  const { made, address } = await sell()
  await advance(api, 'PT2H')
  await becomes(made, { transactionStatus: 'EXPIRED' })
  const before = await balanceOf(payer.wallet.address)
  await pay(address, 25_000_000n)
  await until(async () => expect(await seenAt(address)).toMatchObject([{ state: 'FINAL' }]))
  await until(async () => expect(await balanceOf(payer.wallet.address)).toBeGreaterThan(before - 25_000_000n))
})

test('a flood beside a transfer that came in time does not let its transaction expire', async () => {
  const { made, address, amount } = await sell()
  await control.pause('SOLANA')
  const blockhash = await payer.latest()
  const { wallet: by } = payer
  const flood = Array.from({ length: 210 }, async (_, at) => {
    const distinct = getTransferSolInstruction({ source: by, destination: by.address, amount: BigInt(at) })
    const { wire } = await payer.sign([...(await payer.payment(address, 0n)), distinct], { blockhash })
    await payer.submit(wire, true)
  })
  await Promise.all(flood)
  await payer.submit((await payer.sign(await payer.payment(address, amount), { blockhash })).wire)
  await control.mine('SOLANA', { blocks: 2 })
  await until(async () => expect(await seenAt(address)).toMatchObject([{ state: 'SEEN' }]))
  await advance(api, 'PT2H')
  await control.resume('SOLANA')
  await becomes(made, { transactionStatus: 'COMPLETED' })
})
