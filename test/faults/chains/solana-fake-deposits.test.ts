import { AccountRole, type Address, generateKeyPairSigner, type Instruction } from '@solana/kit'
import { getTransferSolInstruction } from '@solana-program/system'
import {
  getApproveInstruction,
  getCreateAssociatedTokenIdempotentInstruction,
  getMintToInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token'
import { afterAll, expect, test } from 'vitest'
import { newId } from '../../../src/lib/ids.ts'
import { connectSolana, usdcMint } from '../../support/chains/solana-client.ts'
import { goAndReturn, mintOwn, payElsewhere, token2022, wrapCoins } from '../../support/chains/solana-fakes.ts'
import { startSolana, tokenAccountOf } from '../../support/chains/solana-world.ts'
import { availableIn, expectVerified } from '../../support/money/transactions.ts'
import { makeListFolder, sdnLine } from '../../support/screening/watch-list-folder.ts'

/** Transactions on Solana that look like deposits. None is credited; the true one is, once. */
const world = await startSolana({ finalityBlocks: 3 })
const { api, control, rows, until, makeWallet, seenAt } = world
const stranger = await connectSolana(world.rpcUrl)
const { wallet: by } = stranger
await control.faucet('SOLANA', { key: newId(), address: by.address, currency: 'NATIVE', amount: String(10n ** 11n) })
await control.faucet('SOLANA', { key: newId(), address: by.address, currency: 'USDC', amount: String(10n ** 12n) })
afterAll(() => expectVerified(api))

const show = (units: bigint) => `${units / 1_000_000n}.${String(units % 1_000_000n).padStart(6, '0')}`

type Fake = {
  name: string
  instructions(owner: Address): Promise<Instruction[]>
  /** The kind of oddity that operators see; undefined when there is nothing to see. */
  oddity?: string
  fails?: true
}

const fakes: Fake[] = [
  {
    name: 'a transfer that fails',
    fails: true,
    instructions: async (owner) => stranger.payment(owner, 10n ** 15n),
  },
  {
    name: 'a transfer in a transaction whose last step fails',
    fails: true,
    instructions: async (owner) => [
      ...(await stranger.payment(owner, 5_000_000n)),
      ...(await stranger.payment(owner, 10n ** 15n)),
    ],
  },
  {
    name: 'another mint with six decimals',
    oddity: 'FOREIGN_TOKEN',
    instructions: (owner) => mintOwn(by, owner, TOKEN_PROGRAM_ADDRESS),
  },
  {
    name: 'a mint of the Token-2022 program',
    oddity: 'FOREIGN_TOKEN',
    instructions: (owner) => mintOwn(by, owner, token2022),
  },
  { name: 'a transfer of nothing', oddity: 'ZERO_VALUE', instructions: (owner) => stranger.payment(owner, 0n) },
  {
    name: 'an approval of our wallet as delegate',
    instructions: async (owner) => [
      getApproveInstruction({
        source: await tokenAccountOf(by.address),
        delegate: owner,
        owner: by,
        amount: 5_000_000n,
      }),
    ],
  },
  {
    name: 'real tokens minted by a stranger',
    fails: true,
    instructions: async (owner) => [
      getCreateAssociatedTokenIdempotentInstruction({
        payer: by,
        owner,
        ata: await tokenAccountOf(owner),
        mint: usdcMint,
      }),
      getMintToInstruction({
        mint: usdcMint,
        token: await tokenAccountOf(owner),
        mintAuthority: by,
        amount: 5_000_000n,
      }),
    ],
  },
  {
    name: 'SOL to the wallet itself',
    oddity: 'NATIVE_COINS',
    instructions: async (owner) => [
      getTransferSolInstruction({ source: by, destination: owner, amount: 1_000_000_000n }),
    ],
  },
  { name: 'wrapped SOL', oddity: 'FOREIGN_TOKEN', instructions: (owner) => wrapCoins(by, owner) },
  {
    name: 'a transfer out and back, through an account that is closed to our wallet',
    oddity: 'NATIVE_COINS',
    instructions: (owner) => goAndReturn(by, owner),
  },
  {
    name: 'real tokens in another token account of our wallet',
    oddity: 'OTHER_ACCOUNT',
    instructions: (owner) => payElsewhere(by, owner),
  },
]

test.each(fakes)('$name is not credited, and a true deposit is', async ({ instructions, oddity, fails }) => {
  const { wallet, address } = await makeWallet()
  const { wire, signature } = await stranger.sign(await instructions(address as Address))
  await stranger.submit(wire, true)
  const status = await stranger.reach(signature, 'finalized')
  expect(status?.err === null).toBe(fails !== true)
  // The true deposit comes later, so the scanner has judged the fake one when it is credited.
  await stranger.send(await stranger.payment(address as Address, 3_000_000n), {}, 'finalized')
  await until(async () => expect(await availableIn(api, wallet, 'USDC', 'SOLANA')).toBe('3.000000'))
  expect(await seenAt(address)).toMatchObject([{ state: 'FINAL', amount: '3000000', from: by.address }])
  const kept = () =>
    rows<{ kind: string; hash: string }>(
      `select kind, transaction_hash as hash from svc.chain_oddities where to_address = $1`,
      [address],
    )
  if (oddity !== undefined) await until(async () => expect(await kept()).toEqual([{ kind: oddity, hash: signature }]))
  else expect(await kept()).toEqual([])
})

test('transactions that name a token account without moving tokens do not hide later deposits', async () => {
  const { wallet, address } = await makeWallet()
  const pay = async (amount: bigint) => stranger.send(await stranger.payment(address as Address, amount))
  const name = { address: await tokenAccountOf(address), role: AccountRole.WRITABLE }
  await pay(3_000_000n)
  // None of these names a token program, so nodes list no token balances.
  const dust = getTransferSolInstruction({ source: by, destination: name.address, amount: 1n })
  await stranger.send([dust])
  await stranger.send([{ ...dust, accounts: [...dust.accounts, { ...name, role: AccountRole.READONLY }] }])
  const tooMuch = getTransferSolInstruction({ source: by, destination: name.address, amount: 10n ** 15n })
  await stranger.submit((await stranger.sign([tooMuch])).wire, true)
  await pay(4_000_000n)
  await until(async () => expect(await availableIn(api, wallet, 'USDC', 'SOLANA')).toBe('7.000000'))
})

test('a listed sender cannot hide behind other transfers of its transaction', async () => {
  const listed = await generateKeyPairSigner()
  for (const currency of ['NATIVE', 'USDC']) {
    await control.faucet('SOLANA', { key: newId(), address: listed.address, currency, amount: '1000000000' })
  }
  const remark = `Digital Currency Address - SOL ${listed.address}`
  const folder = await makeListFolder([sdnLine(101, 'QUILLFEATHER, Bertram', 'individual', remark)])
  await api.app.screening.importList(folder, { actor: 'test' })
  await until(async () => expect(await api.app.screening.currentVersion()).toBe(1))
  const elsewhere = (await generateKeyPairSigner()).address
  const hides = [
    (from: Instruction[]) => [from],
    // Another owner sends more.
    async (from: Instruction[]) => [from, await stranger.payment(elsewhere, 2_000_000n)],
    // The listed owner gets back as much as it sends.
    async (from: Instruction[]) => [from, await stranger.payment(listed.address, 1_000_000n)],
  ]
  for (const hide of hides) {
    const { wallet, address } = await makeWallet()
    const from = await stranger.payment(address as Address, 1_000_000n, listed)
    await stranger.send((await hide(from)).flat())
    await until(async () => expect(await seenAt(address)).toMatchObject([{ depositStatus: 'HELD' }]))
    expect(await seenAt(address)).toMatchObject([{ from: listed.address }])
    expect(await availableIn(api, wallet, 'USDC', 'SOLANA')).toBe('0.000000')
  }
})

test('several transfers in one transaction are one deposit of their sum, and two wallets get two', async () => {
  const [one, two] = [await makeWallet(), await makeWallet()]
  const pay = (to: string, amount: bigint) => stranger.payment(to as Address, amount)
  const signature = await stranger.send([
    ...(await pay(one.address, 1_000_000n)),
    ...(await pay(two.address, 5_000_000n)),
    ...(await pay(one.address, 2_000_000n)),
  ])
  await until(async () => {
    expect(await availableIn(api, one.wallet, 'USDC', 'SOLANA')).toBe('3.000000')
    expect(await availableIn(api, two.wallet, 'USDC', 'SOLANA')).toBe('5.000000')
  })
  const [first, second] = [await seenAt(one.address), await seenAt(two.address)]
  expect([first.length, second.length]).toEqual([1, 1])
  expect(first[0]?.externalId.startsWith(`${signature}:`)).toBe(true)
  expect(first[0]?.externalId).not.toBe(second[0]?.externalId)
})

test('a transfer is shown before it is final; a fork that drops it takes it away, and nothing is credited', async () => {
  const { wallet, address } = await makeWallet()
  await stranger.send(await stranger.payment(address as Address, 1_000_000n), {}, 'finalized')
  await until(async () => expect(await availableIn(api, wallet, 'USDC', 'SOLANA')).toBe('1.000000'))
  await control.pause('SOLANA')
  const { wire, signature } = await stranger.sign(await stranger.payment(address as Address, 9_000_000n))
  await stranger.submit(wire)
  await control.mine('SOLANA', { blocks: 2 })
  await stranger.reach(signature, 'confirmed')
  await until(async () => expect((await seenAt(address)).map(({ state }) => state)).toEqual(['FINAL', 'SEEN']))
  await control.reorg('SOLANA', { depth: 2, drop: true })
  await control.resume('SOLANA')
  await until(async () => expect((await seenAt(address)).map(({ state }) => state)).toEqual(['FINAL', 'ORPHANED']))
  expect(await availableIn(api, wallet, 'USDC', 'SOLANA')).toBe('1.000000')
})

test('a node that lists no transactions is not believed while the balance tells otherwise', async () => {
  const { wallet, address } = await makeWallet()
  await control.fault('SOLANA', { kind: 'empty_signatures', calls: 1_000 })
  await stranger.send(await stranger.payment(address as Address, 4_000_000n), {}, 'finalized')
  await until(async () => {
    const unscanned = await api.app.chains.unscanned()
    expect(unscanned.find(({ owner }) => owner === address)).toMatchObject({ problem: 'INCOMPLETE' })
  })
  expect(await seenAt(address)).toEqual([])
  await control.clearFaults('SOLANA')
  await until(async () => expect(await availableIn(api, wallet, 'USDC', 'SOLANA')).toBe('4.000000'))
})

test('a deposit and a payout of the same amount in one slot leave the balance as it was: the deposit is found', async () => {
  const { wallet, address } = await world.fundWallet(50_000_000n)
  await control.pause('SOLANA')
  const paid = await world.pay(wallet)
  const amount = BigInt(paid.destination.destinationAmount.replace('.', ''))
  const { wire } = await stranger.sign(await stranger.payment(address as Address, amount))
  await stranger.submit(wire)
  await until(async () => {
    const sent = await rows(
      `select from svc.solana_transfers join svc.payouts using (payout_id) where transaction_id = $1 and sends > 0`,
      [paid.transactionId],
    )
    expect(sent).toHaveLength(1)
  })
  await control.mine('SOLANA', { blocks: 1 })
  expect(await stranger.tokensOf(address as Address)).toBe(50_000_000n)
  await control.resume('SOLANA')
  await until(async () => expect(await availableIn(api, wallet, 'USDC', 'SOLANA')).toBe(show(40_000_000n + amount)))
  expect((await seenAt(address)).map((each) => each.amount)).toEqual(['50000000', String(amount)])
})
