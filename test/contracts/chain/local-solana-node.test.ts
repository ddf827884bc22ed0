import { appendFile, readFile } from 'node:fs/promises'
import path from 'node:path'
import { type Commitment, generateKeyPairSigner, type Signature } from '@solana/kit'
import { describe, expect, test } from 'vitest'
import { startLocalSolana } from '../../support/chains/local-chains.ts'
import { connectSolana, type SolanaClient, usdcMint } from '../../support/chains/solana-client.ts'
import { eventually } from '../../support/runner/eventually.ts'

const chain = await startLocalSolana({ finalityBlocks: 32 })
const { control, rpcUrls } = chain
const client = await connectSolana(rpcUrls.SOLANA)
const { rpc, sign, submit, payment, tokensOf, statusOf } = client
await fund(client)
await control.pause('SOLANA')
const levels: Commitment[] = ['processed', 'confirmed', 'finalized']
const mine = (blocks: number) => control.mine('SOLANA', { blocks })
const find = (signature: Signature, commitment: 'confirmed' | 'finalized' = 'finalized') =>
  rpc.getTransaction(signature, { commitment, encoding: 'json', maxSupportedTransactionVersion: 0 }).send()
const newAddress = async () => (await generateKeyPairSigner()).address

async function fund({ wallet: { address } }: SolanaClient) {
  await control.faucet('SOLANA', { key: `coins ${address}`, address, currency: 'NATIVE', amount: '10000000000' })
  await control.faucet('SOLANA', { key: `tokens ${address}`, address, currency: 'USDC', amount: '100000000' })
}

/** Sends a payment while the chain rests, and lets one slot pass. */
async function payInNextSlot(amount = 1n) {
  const receiver = await newAddress()
  const { wire, signature, lifetime } = await sign(await payment(receiver, amount))
  await submit(wire)
  await mine(1)
  return { receiver, signature, wire, lifetime }
}

const errorOf = (request: Promise<unknown>) =>
  request.then(
    () => undefined,
    (error: { context?: { __code?: number }; message: string }) => error.context?.__code ?? error.message,
  )

describe('slots', () => {
  test('make a transaction confirmed after one more, and final after 32', async () => {
    const { receiver, signature } = await payInNextSlot(3n)
    const seen = async () => ({
      status: (await statusOf(signature))?.confirmationStatus,
      tokens: await Promise.all(levels.map((level) => tokensOf(receiver, level))),
    })
    expect(await seen()).toEqual({ status: 'processed', tokens: [3n, 0n, 0n] })
    await mine(1)
    expect(await seen()).toEqual({ status: 'confirmed', tokens: [3n, 3n, 0n] })
    await mine(30)
    expect((await seen()).status).toBe('confirmed')
    expect(await find(signature)).toBeNull()
    await mine(1)
    expect(await seen()).toEqual({ status: 'finalized', tokens: [3n, 3n, 3n] })
  })

  test('let a blockhash expire after 150 blocks, and not earlier', async () => {
    const blockhash = await client.latest('processed')
    const late = await sign(await payment(await newAddress(), 1n), { blockhash })
    await mine(150)
    const height = await rpc.getBlockHeight({ commitment: 'processed' }).send()
    expect(height).toBe(blockhash.lastValidBlockHeight)
    const isValid = () => rpc.isBlockhashValid(blockhash.blockhash, { commitment: 'processed' }).send()
    expect((await isValid()).value).toBe(true)
    await mine(1)
    expect((await isValid()).value).toBe(false)
    await mine(1)
    await expect(submit(late.wire)).rejects.toMatchObject({
      context: { __code: -32_002 },
      cause: { message: /blockhash/i },
    })
    await submit(late.wire, true)
    await mine(2)
    expect([await statusOf(late.signature), (await control.status())[0]?.pending]).toEqual([null, 0])
  })

  test('show a blockhash only to those who see its block', async () => {
    const { wire } = await sign(await payment(await newAddress(), 1n), { blockhash: await client.latest('processed') })
    const refused = rpc.sendTransaction(wire, { encoding: 'base64' }).send()
    await expect(refused).rejects.toMatchObject({ cause: { message: /blockhash/i } })
  })

  test('carry business time, which never decreases', async () => {
    await control.setClock({ frozenAtMs: Date.UTC(2_030, 0, 1) })
    await mine(2)
    const at = async () => {
      const slot = await rpc.getSlot({ commitment: 'confirmed' }).send()
      return Number(await rpc.getBlockTime(slot).send())
    }
    const frozen = await at()
    expect(frozen).toBe(Date.UTC(2_030, 0, 1) / 1_000)
    await control.setClock({ offsetMs: 0 })
    await mine(2)
    expect(await at()).toBe(frozen)
    await control.setClock({ offsetMs: Date.UTC(2_031, 0, 1) - Date.now() })
    await mine(2)
    expect(await at()).toBeGreaterThan(frozen)
  })
})

describe('forks', () => {
  test('take transactions away, or move them to a later slot', async () => {
    const [gone, moved] = [await payInNextSlot(5n), await payInNextSlot(6n)]
    const before = await statusOf(moved.signature)
    const head = await rpc.getSlot({ commitment: 'processed' }).send()
    const height = await rpc.getBlockHeight({ commitment: 'processed' }).send()
    await control.reorg('SOLANA', { depth: 2, drop: [gone.signature] })
    expect(await rpc.getBlockHeight({ commitment: 'processed' }).send()).toBe(height - 1n)
    expect(await rpc.getSlot({ commitment: 'processed' }).send()).toBe(head + 1n)
    expect([await statusOf(gone.signature), await tokensOf(gone.receiver)]).toEqual([null, 0n])
    expect((await statusOf(moved.signature))?.slot).toBe((before?.slot ?? 0n) + 1n)
    expect(await tokensOf(moved.receiver)).toBe(6n)
    await mine(1)
    expect(await errorOf(rpc.getBlock(head, { commitment: 'confirmed' }).send())).toBe(-32_007)
    const blocks = await rpc.getBlocks(head - 2n, head + 2n, { commitment: 'confirmed' }).send()
    expect(blocks).toEqual([head - 2n, head + 1n])
    // The same bytes are valid on the new branch: its blockhash is older than the fork.
    await submit(gone.wire)
    await mine(1)
    expect(await tokensOf(gone.receiver)).toBe(5n)
  })

  test('do not reach final blocks unless forced to', async () => {
    const { receiver, signature } = await payInNextSlot()
    await mine(33)
    await expect(control.reorg('SOLANA', { depth: 34, drop: true })).rejects.toThrow(
      'is final: depth must be at most 32',
    )
    await control.reorg('SOLANA', { depth: 34, drop: true, force: true })
    expect([await statusOf(signature), await tokensOf(receiver)]).toEqual([null, 0n])
  })

  test('end the validity of the blockhashes that they leave behind', async () => {
    await mine(1)
    const blockhash = await client.latest('processed')
    const { wire } = await sign(await payment(await newAddress(), 1n), { blockhash })
    await control.reorg('SOLANA', { depth: 1, drop: true })
    await expect(submit(wire)).rejects.toMatchObject({ cause: { message: /blockhash/i } })
  })
})

describe('requests to the sandbox', () => {
  test('take effect once for each key', async () => {
    const address = await newAddress()
    const once = await repeatable(address)
    await once()
    await once()
  })

  test('send tokens from the wallet that a deposit names', async () => {
    const [from, address] = [await newAddress(), await newAddress()]
    const gift = { key: 'from a stranger', address, from, currency: 'EURC', amount: '7' }
    const { transactionHash, position } = await control.faucet('SOLANA', gift)
    await mine(2)
    const config = { encoding: 'jsonParsed', maxSupportedTransactionVersion: 0, commitment: 'confirmed' } as const
    const { transaction, meta } = (await rpc.getTransaction(transactionHash as Signature, config).send()) ?? {}
    expect(transaction?.message.instructions.at(-1)).toMatchObject({
      program: 'spl-token',
      parsed: { type: 'transferChecked', info: { authority: from, tokenAmount: { amount: '7' } } },
    })
    const received = meta?.postTokenBalances?.find(({ owner }) => owner === address)
    expect([received?.accountIndex, received?.uiTokenAmount.amount]).toEqual([position, '7'])
    const sent = [meta?.preTokenBalances, meta?.postTokenBalances].map((each) =>
      each?.find(({ owner }) => owner === from),
    )
    expect(sent.map((each) => each?.uiTokenAmount.amount)).toEqual(['7', '0'])
  })

  test('freeze an account, which then neither sends nor receives', async () => {
    const account = await newAddress()
    await control.administer('SOLANA', { key: 'freeze', currency: 'USDC', act: 'blacklist', account })
    await mine(1)
    const { wire } = await sign(await payment(account, 1n))
    await expect(submit(wire)).rejects.toMatchObject({
      context: { logs: expect.arrayContaining([expect.stringMatching(/frozen/)]) },
    })
  })
})

describe('a crash', () => {
  test('keeps state, signatures and blockhashes, and a torn line is cut off', async () => {
    const { receiver, signature } = await payInNextSlot(8n)
    await mine(40)
    const look = async () => ({
      status: await statusOf(signature),
      tokens: await tokensOf(receiver, 'finalized'),
      transaction: await find(signature),
      latest: await rpc.getLatestBlockhash({ commitment: 'processed' }).send(),
      epoch: await rpc.getEpochInfo().send(),
    })
    const once = await repeatable(await newAddress())
    const recent = await payInNextSlot(9n)
    const before = await look()
    await crash(async () => {
      const file = path.join(chain.folder, 'chains', 'solana.journal')
      const whole = await readFile(file)
      await appendFile(file, whole.subarray(0, 99))
    })
    expect(await look()).toEqual(before)
    await once()
    expect(await Promise.all(levels.map((level) => tokensOf(recent.receiver, level)))).toEqual([9n, 0n, 0n])
    await control.reorg('SOLANA', { depth: 1, drop: true })
    expect(await tokensOf(recent.receiver)).toBe(0n)
    await mine(1)
    expect((await payInNextSlot(2n)).receiver).toBeTruthy()
  })
})

/** Asks for a gift and for slots; returns a function that repeats both requests, which then change nothing. */
async function repeatable(address: Awaited<ReturnType<typeof newAddress>>) {
  const gift = { key: `gift of ${address}`, address, currency: 'USDC', amount: '5' }
  const slots = { blocks: 2, key: `slots of ${address}` }
  const first = await control.faucet('SOLANA', gift)
  expect(first).toMatchObject({ isMined: false, isRepeated: false })
  await control.mine('SOLANA', slots)
  return async () => {
    const before = await rpc.getSlot({ commitment: 'processed' }).send()
    await control.mine('SOLANA', slots)
    expect(await control.faucet('SOLANA', gift)).toEqual({ ...first, isMined: true, isRepeated: true })
    expect([await rpc.getSlot({ commitment: 'processed' }).send(), await tokensOf(address)]).toEqual([before, 5n])
  }
}

/** Kills the process of the chain, and waits until the next one answers. */
async function crash(meanwhile: () => Promise<void> = async () => {}) {
  const pid = chain.pid()
  await chain.kill('SIGKILL')
  await meanwhile()
  await eventually(async () => {
    expect(chain.pid()).not.toBe(pid)
    await control.status()
  })
}

describe('faults', () => {
  test('happen as often as asked, and pass', async () => {
    const { signature } = await payInNextSlot()
    await mine(1)
    const fault = (kind: Parameters<typeof control.fault>[1]['kind']) => control.fault('SOLANA', { kind, calls: 1 })
    const slot = await rpc.getSlot({ commitment: 'processed' }).send()
    const cases: [Parameters<typeof fault>[0], () => Promise<unknown>, unknown][] = [
      ['stale_head', () => rpc.getSlot({ commitment: 'processed' }).send(), slot - 20n],
      ['stale_head', () => statusOf(signature), null],
      ['null_receipt', () => statusOf(signature), null],
      ['null_receipt', () => find(signature, 'confirmed'), null],
      ['empty_signatures', () => rpc.getSignaturesForAddress(usdcMint, { commitment: 'confirmed' }).send(), []],
      ['node_behind', () => errorOf(rpc.getHealth().send()), -32_005],
      ['rate_limited', () => errorOf(rpc.getSlot().send()), 8_100_002],
      ['down', () => errorOf(rpc.getSlot().send()), 'fetch failed'],
    ]
    for (const [kind, ask, wanted] of cases) {
      const usual = await ask()
      await fault(kind)
      expect([kind, await ask()]).toEqual([kind, wanted])
      expect([kind, await ask()]).toEqual([kind, usual])
    }
    await fault('wrong_chain_id')
    expect(await rpc.getGenesisHash().send()).toBe('5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d')
    expect(await rpc.getGenesisHash().send()).toBe('EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG')
  })

  test('lose transactions, or take them and refuse them', async () => {
    // biome-ignore format: a table is read by column
    const cases = [
      ['drop_transaction',  undefined, false],
      ['expired_blockhash', -32_002,   false],
      ['node_behind',       -32_005,   false],
      ['already_processed', -32_002,   true],
    ] as const
    for (const [kind, code, lands] of cases) {
      const { wire, signature } = await sign(await payment(await newAddress(), 1n))
      await control.fault('SOLANA', { kind, calls: 1 })
      expect([kind, await errorOf(submit(wire))]).toEqual([kind, code])
      await mine(1)
      expect([kind, (await statusOf(signature)) !== null]).toEqual([kind, lands])
      await submit(wire)
      await mine(1)
      expect((await statusOf(signature))?.err).toBeNull()
    }
  })
})
