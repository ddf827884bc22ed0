import type { Hex } from 'viem'
import { afterEach, expect, test } from 'vitest'
import { chainIds } from '../../../src/catalog/chain-ids.ts'
import { openOutsideWallet } from '../../support/chains/outside-wallet.ts'
import { startScanned } from '../../support/chains/scanned-world.ts'
import {
  bankAccountOf,
  bankAccounts,
  createAccount,
  externalWalletOf,
  serviceWalletOf,
} from '../../support/money/payment-accounts.ts'
import {
  advance,
  createTransaction,
  expectVerified,
  readTransaction,
  type Transaction,
  timelineOf,
} from '../../support/money/transactions.ts'
import { makeListFolder, sdnLine } from '../../support/screening/watch-list-folder.ts'

/** Transfers in from wallets of customers, with a deposit address for each transaction. */
const world = await startScanned()
const { api, chains, customerId, until, seenAt } = world
afterEach(() => expectVerified(api))

const stranger = await openOutsideWallet(chains, 'BASE')
const bank = await createAccount(api, bankAccountOf(customerId, bankAccounts.ACH()))
const source = await createAccount(
  api,
  externalWalletOf(customerId, { chain: 'BASE', currency: 'USDC', address: stranger.address }),
)

/** A transaction that awaits 25 USDC on Base, with the fields of its payment link. */
async function sell() {
  await api.app.rates.refresh()
  const made = await createTransaction(api, {
    customerId,
    from: [source.paymentAccountId, 'USDC', 'BASE', '25'],
    to: [bank.paymentAccountId, 'USD', 'ACH'],
  })
  const instructions = made.transferInstructions as Extract<Transaction['transferInstructions'], { type: 'crypto' }>
  const link = /^ethereum:(0x\w{40})@(\d+)\/transfer\?address=(0x\w{40})&uint256=(\d+)$/.exec(instructions.transferUri)
  const [, contract = '', chainId = '', address = '', units = ''] = link ?? []
  return { made, contract: contract as Hex, chainId: Number(chainId), address, units: BigInt(units) }
}

const becomes = (made: Transaction, expected: object) =>
  until(async () => expect(await readTransaction(api, made)).toMatchObject(expected))

test('a wallet that follows the payment link pays the transaction', async () => {
  const { made, contract, chainId, address, units } = await sell()
  expect([chainId, units]).toEqual([chainIds.sandbox.BASE, 25_000_000n])
  await stranger.transfer(address, units, contract)
  await becomes(made, { transactionStatus: 'COMPLETED' })
  expect(await stranger.balanceOf(address)).toBe(25_000_000n)
})

test('two transfers pay a transaction together, and it waits for the second', async () => {
  const { made, address } = await sell()
  await stranger.transfer(address, 10_000_000n)
  await until(async () => expect(await seenAt(address)).toMatchObject([{ depositStatus: 'APPLIED' }]))
  expect(await readTransaction(api, made)).toMatchObject({ transactionStatus: 'AWAITING_TRANSFER' })
  await stranger.transfer(address, 15_000_000n)
  await becomes(made, { transactionStatus: 'COMPLETED' })
})

test('an excess is returned, and the quoted amount executed', async () => {
  const { made, address } = await sell()
  await stranger.transfer(address, 40_000_000n)
  await becomes(made, { transactionStatus: 'COMPLETED', labels: ['OVERPAID'] })
  expect(await seenAt(address)).toMatchObject([{ amount: '40000000', depositStatus: 'APPLIED' }])
})

test('a transfer of a listed sender is held', async () => {
  const { address: own } = await world.makeWallet()
  const listed = await openOutsideWallet(chains, 'BASE')
  const remarks = `Digital Currency Address - ETH ${listed.address}`
  const folder = await makeListFolder([sdnLine(7, 'EXAMPLE MIXER', '', remarks)])
  await api.app.screening.importList(folder, { actor: 'test' })
  await until(async () => expect(await api.app.screening.currentVersion()).toBe(1))
  await listed.transfer(own, 5_000_000n)
  await until(async () => expect(await seenAt(own)).toMatchObject([{ depositStatus: 'HELD' }]))
})

test('a transfer after the end of its transaction is returned', async () => {
  const { made, address } = await sell()
  await advance(api, 'PT2H')
  const { now } = (await api.get('/sandbox/clock')).body
  await chains.control.setClock({ offsetMs: Date.parse(now) - Date.now() })
  await becomes(made, { transactionStatus: 'EXPIRED' })
  await stranger.transfer(address, 25_000_000n)
  await until(async () =>
    expect(await seenAt(address)).toMatchObject([{ depositStatus: expect.stringMatching(/^RETURN(ING|ED)$/) }]),
  )
  await becomes(made, { transactionStatus: 'EXPIRED', labels: ['LATE'] })
})

test('a transfer in time counts, although its block becomes final after the end of its transaction', async () => {
  const { made, address } = await sell()
  await chains.control.pause('BASE')
  const hash = await stranger.transfer(address, 25_000_000n)
  await chains.control.mine('BASE', { blocks: 1 })
  await until(async () => expect(await seenAt(address)).toMatchObject([{ externalId: `${hash}:0`, state: 'SEEN' }]))
  const early = (await timelineOf(api, made)).filter(({ kind }) => kind === 'TRANSFER_SEEN' || kind === 'DEPOSIT')
  const details = {
    method: 'BASE',
    referenceId: `${hash}:0`,
    amount: '25.000000',
    currency: { label: 'USDC', chain: 'BASE' },
  }
  expect(early).toMatchObject([{ kind: 'TRANSFER_SEEN', details }])
  await advance(api, 'PT2H')
  expect((await readTransaction(api, made)).transactionStatus).toBe('AWAITING_TRANSFER')
  await chains.control.mine('BASE', { blocks: 2 })
  await chains.control.resume('BASE')
  await becomes(made, { transactionStatus: 'COMPLETED' })
  const kinds = (await timelineOf(api, made)).map(({ kind }) => kind)
  expect(kinds).toContain('DEPOSIT')
  expect(kinds).not.toContain('TRANSFER_SEEN')
})

test('a free address of the pool that receives tokens has an unattributed deposit', async () => {
  const { rows } = world
  await createAccount(api, serviceWalletOf(customerId))
  const [free] = await rows<{ address: string }>(
    `select address from svc.wallet_addresses where kind = 'EVM' and taken_at is null order by address_index desc limit 1`,
  )
  await stranger.transfer(free?.address ?? '', 3_000_000n)
  await until(async () => expect(await seenAt(free?.address ?? '')).toMatchObject([{ depositStatus: 'UNMATCHED' }]))
})
