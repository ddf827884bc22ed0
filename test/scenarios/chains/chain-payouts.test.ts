import { afterAll, expect, test } from 'vitest'
import { type EvmNetwork, evmNetworks } from '../../../src/catalog/chain-ids.ts'
import { openOutsideWallet } from '../../support/chains/outside-wallet.ts'
import { startPaying } from '../../support/chains/paying-world.ts'
import { bankAccountOf, bankAccounts, createAccount } from '../../support/money/payment-accounts.ts'
import {
  availableIn,
  createTransaction,
  expectVerified,
  readTransaction,
  sendDeposit,
  type Transaction,
  transferReference,
  waitForTransaction,
} from '../../support/money/transactions.ts'

/** Payouts on real chains, each read back by a client that is not ours. */
const world = await startPaying()
const { api, chains, customerId, until, balanceOf, clientOf, makeWallet, makeExternal, rows } = world
const { paymentAccountId: bank } = await createAccount(api, bankAccountOf(customerId, bankAccounts.ACH()))
afterAll(() => expectVerified(api))

const units = (amount: string) => BigInt(amount.replace('.', ''))
const next = (network: EvmNetwork) => evmNetworks[(evmNetworks.indexOf(network) + 1) % evmNetworks.length] as EvmNetwork

/** A service wallet with tokens that came from outside. */
async function fundWallet(network: EvmNetwork, amount: bigint) {
  const made = await makeWallet()
  const stranger = await openOutsideWallet(chains, network)
  await stranger.transfer(made.address, amount)
  await until(async () => expect(units(await availableIn(api, made.wallet, 'USDC', network))).toBe(amount))
  return made
}

async function complete(transaction: Transaction): Promise<Transaction> {
  return waitForTransaction(api, transaction, { transactionStatus: 'COMPLETED' })
}

/** The published hash names a transaction that succeeded. */
async function expectMined(network: EvmNetwork, { destination }: Transaction): Promise<void> {
  const hash = destination.destinationReferenceId as `0x${string}`
  const receipt = await clientOf(network).getTransactionReceipt({ hash })
  expect(receipt.status).toBe('success')
}

async function treasuryOf(): Promise<string> {
  return (await api.app.custody.findServiceAddress('EVM', 'TREASURY')) ?? ''
}

test.each(evmNetworks)('%s: on-ramp to an external wallet and to a service wallet', async (network) => {
  const { external, address } = await makeExternal(network)
  const { wallet, address: walletAddress } = await makeWallet()
  const pay = async (to: string) => {
    const transaction = await createTransaction(api, {
      customerId,
      from: [bank, 'USD', 'ACH', '50.00'],
      to: [to, 'USDC', network],
    })
    const reference = transferReference(transaction)
    await sendDeposit(api, bank, { amount: '50.00', currency: 'USD', rail: 'ACH', reference })
    return complete(transaction)
  }
  const [out, inside] = await Promise.all([pay(external), pay(wallet)])
  expect(await balanceOf(network, address)).toBe(units(out.destination.destinationAmount))
  expect(await balanceOf(network, walletAddress)).toBe(units(inside.destination.destinationAmount))
  expect(units(await availableIn(api, wallet, 'USDC', network))).toBe(units(inside.destination.destinationAmount))
  await expectMined(network, out)
})

test.each(evmNetworks)('%s: wallet to wallet, off-ramp and cross-network', async (network) => {
  const other = next(network)
  const { wallet, address } = await fundWallet(network, 100_000_000n)
  const { external, address: outside } = await makeExternal(network)
  const { external: far, address: farAway } = await makeExternal(other)
  const treasury = await treasuryOf()
  const before = await balanceOf(network, treasury)
  const send = (to: string, currency: string, method: string, amount: string) =>
    createTransaction(api, { customerId, from: [wallet, 'USDC', network, amount], to: [to, currency, method] })
  const direct = await complete(await send(external, 'USDC', network, '30'))
  expect(await balanceOf(network, outside)).toBe(units(direct.destination.destinationAmount))
  await expectMined(network, direct)
  const sold = await complete(await send(bank, 'USD', 'ACH', '20'))
  const crossed = await complete(await send(far, 'USDC', other, '10'))
  expect(await balanceOf(other, farAway)).toBe(units(crossed.destination.destinationAmount))
  await expectMined(other, crossed)
  // The source of what was sold and crossed is collected: the gross comes to our treasury.
  await until(async () => {
    const open = await rows(`select from svc.payouts where purpose = 'COLLECT' and status <> 'CONFIRMED'`)
    expect(open).toEqual([])
  })
  expect((await readTransaction(api, sold)).transactionStatus).toBe('COMPLETED')
  expect(units(await availableIn(api, wallet, 'USDC', network))).toBe(40_000_000n)
  // The fee of the direct transfer stays at the customer's address until it is swept.
  const fee = 30_000_000n - units(direct.destination.destinationAmount)
  expect(await balanceOf(network, address)).toBe(40_000_000n + fee)
  expect((await balanceOf(network, treasury)) - before).toBeGreaterThanOrEqual(20_000_000n)
})

test('BASE: the gas of every transaction is booked once: the ledger has the coins that the relayer has', async () => {
  const relayer = (await api.app.custody.findServiceAddress('EVM', 'RELAYER')) ?? ''
  await until(async () => {
    expect(await rows(`select from svc.relay_nonces where state = 'OPEN'`)).toEqual([])
    const [booked] = await rows<{ coins: string }>(
      `select (-sum(entry.amount))::text as coins from svc.entries as entry
         join svc.ledger_accounts as account using (organization_id, account_id)
        where account.kind = 'TREASURY' and account.asset = 'ETH/BASE'`,
    )
    const onChain = await clientOf('BASE').getBalance({ address: relayer as `0x${string}` })
    expect(BigInt(booked?.coins ?? 0)).toBe(onChain)
  })
})

test('every wallet and treasury has what the ledger says, and a missing token is named', async () => {
  await until(async () => {
    const reports = await api.app.chainPayouts.comparisons.compareAll()
    expect(reports.map(({ network, differences }) => [network, differences])).toEqual(
      evmNetworks.map((network) => [network, []]),
    )
  })
  const treasury = await treasuryOf()
  const burn = { key: 'burn', currency: 'USDC', act: 'burn', account: treasury, amount: '7' } as const
  await chains.control.administer('BASE', burn)
  await until(async () => {
    const found = (await api.app.chainPayouts.comparisons.compareAll()).flatMap(({ differences }) => differences)
    expect(found).toMatchObject([{ asset: 'USDC/BASE', place: `treasury ${treasury}` }])
    expect(found.map(({ ledger, chain }) => ledger - chain)).toEqual([7n])
  })
})
