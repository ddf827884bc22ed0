import {
  AccountRole,
  type Address,
  address,
  generateKeyPairSigner,
  getAddressEncoder,
  getBase64Encoder,
  getProgramDerivedAddress,
  getU64Encoder,
  type Instruction,
} from '@solana/kit'
import { getCreateAccountInstruction, getTransferSolInstruction } from '@solana-program/system'
import {
  getCreateAssociatedTokenIdempotentInstruction,
  getInitializeMint2Instruction,
  getMintToInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token'
import { request } from 'undici'
import { describe, expect, test } from 'vitest'
import { startLocalSolana } from '../../support/chains/local-chains.ts'
import { connectSolana, tokenAccountOf, usdcMint } from '../../support/chains/solana-client.ts'

const { control, rpcUrls } = await startLocalSolana({ slotMs: 50 })
const client = await connectSolana(rpcUrls.SOLANA)
const { rpc, wallet, send, sign, submit, payment, tokensOf } = client
await control.faucet('SOLANA', { key: 'coins', address: wallet.address, currency: 'NATIVE', amount: '10000000000' })
await control.faucet('SOLANA', { key: 'tokens', address: wallet.address, currency: 'USDC', amount: '100000000' })
const newAddress = async () => (await generateKeyPairSigner()).address
const token2022 = address('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb')

const transactionOf = async (signature: Awaited<ReturnType<typeof send>>) => {
  const config = { encoding: 'json', maxSupportedTransactionVersion: 0, commitment: 'confirmed' } as const
  const found = await rpc.getTransaction(signature, config).send()
  if (!found?.meta) throw new Error('the transaction is not there')
  return { ...found, meta: found.meta }
}

describe('transactions', () => {
  test('pay tokens to a wallet without a token account, and tell its rent and fee', async () => {
    const receiver = await newAddress()
    const signature = await send(await payment(receiver, 1_234_567n), {}, 'finalized')
    expect(await tokensOf(receiver, 'finalized')).toBe(1_234_567n)
    const { meta, slot, blockTime, transaction } = await transactionOf(signature)
    const account = await tokenAccountOf(receiver)
    const place = transaction.message.accountKeys.indexOf(account)
    const rent = await rpc.getMinimumBalanceForRentExemption(165n).send()
    const [paid, created] = [0, place].map((each) => (meta.postBalances[each] ?? 0n) - (meta.preBalances[each] ?? 0n))
    expect([paid, created, meta.fee, rent]).toEqual([-rent - 5_000n, rent, 5_000n, 2_039_280n])
    expect(meta.preTokenBalances).toHaveLength(1)
    expect(meta.postTokenBalances?.find(({ owner }) => owner === receiver)).toMatchObject({
      accountIndex: place,
      mint: usdcMint,
      programId: TOKEN_PROGRAM_ADDRESS,
      uiTokenAmount: { amount: '1234567', decimals: 6, uiAmountString: '1.234567' },
    })
    const [listed] = await rpc.getSignaturesForAddress(account).send()
    expect(listed).toMatchObject({ signature, slot, blockTime, err: null, memo: null, confirmationStatus: 'finalized' })
    const block = await rpc
      .getBlock(slot, { maxSupportedTransactionVersion: 0, transactionDetails: 'signatures' })
      .send()
    expect(block).toMatchObject({ parentSlot: slot - 1n, blockTime, signatures: expect.arrayContaining([signature]) })
  })

  test('are found by address, newest first, between two signatures', async () => {
    const receiver = await newAddress()
    const sent: string[] = []
    for (const amount of [1n, 2n, 3n, 4n]) sent.unshift(await send(await payment(receiver, amount), {}, 'confirmed'))
    const account = await tokenAccountOf(receiver)
    const list = async (config: { before?: string; until?: string; limit?: number }) => {
      const wanted = { commitment: 'confirmed', ...config } as Parameters<typeof rpc.getSignaturesForAddress>[1]
      return (await rpc.getSignaturesForAddress(account, wanted).send()).map(({ signature }) => String(signature))
    }
    expect(await list({})).toEqual(sent)
    expect(await list({ before: sent[0] as string, until: sent[3] as string })).toEqual(sent.slice(1, 3))
    expect(await list({ limit: 2 })).toEqual(sent.slice(0, 2))
    const unknown = (await sign(await payment(receiver, 5n))).signature
    expect([await list({ before: unknown }), await list({ until: unknown })]).toEqual([[], sent])
  })

  test('with version 0 use addresses of a lookup table', async () => {
    const receiver = await newAddress()
    const account = await tokenAccountOf(receiver)
    const table = await createTable([account, usdcMint, TOKEN_PROGRAM_ADDRESS, receiver])
    await control.mine('SOLANA', { blocks: 2 })
    const tables = { [table]: [account, usdcMint, TOKEN_PROGRAM_ADDRESS, receiver] }
    const signature = await send(await payment(receiver, 9n), { tables }, 'confirmed')
    expect(await tokensOf(receiver, 'confirmed')).toBe(9n)
    const { meta, transaction } = await transactionOf(signature)
    expect(meta.loadedAddresses).toEqual({
      writable: [account],
      readonly: expect.arrayContaining([usdcMint, receiver]),
    })
    expect(transaction.message.accountKeys).not.toContain(account)
    const place = transaction.message.accountKeys.length
    expect(meta.postTokenBalances?.find(({ owner }) => owner === receiver)?.accountIndex).toBe(place)
    expect(await rpc.getSignaturesForAddress(account, { commitment: 'confirmed' }).send()).toHaveLength(1)
    await expect(rpc.getTransaction(signature, { encoding: 'json', commitment: 'confirmed' }).send()).rejects.toThrow(
      'maxSupportedTransactionVersion',
    )
  })

  test('that fail after the fee was taken stay on the chain with their error', async () => {
    const { wire, signature } = await sign(await payment(await newAddress(), 10n ** 15n))
    const refused = submit(wire)
    await expect(refused).rejects.toMatchObject({ context: { __code: -32_002, unitsConsumed: expect.any(BigInt) } })
    await submit(wire, true)
    const status = await client.reach(signature, 'confirmed')
    expect(status?.err).toEqual({ InstructionError: [1n, { Custom: 1n }] })
    const { meta } = await transactionOf(signature)
    expect([meta.fee, meta.postTokenBalances?.length]).toEqual([5_000n, 1])
    expect(meta.logMessages?.join()).toContain('insufficient funds')
  })

  test('of a look-alike token name its own mint and program', async () => {
    const [mint, receiver] = [await generateKeyPairSigner(), await newAddress()]
    const account = await tokenAccountOf(receiver, mint.address, token2022)
    const config = { programAddress: token2022 }
    const lamports = await rpc.getMinimumBalanceForRentExemption(82n).send()
    const create = { payer: wallet, newAccount: mint, lamports, space: 82n, programAddress: token2022 }
    const owner = { payer: wallet, owner: receiver, ata: account, mint: mint.address, tokenProgram: token2022 }
    const signature = await send(
      [
        getCreateAccountInstruction(create),
        getInitializeMint2Instruction({ mint: mint.address, decimals: 6, mintAuthority: wallet.address }, config),
        getCreateAssociatedTokenIdempotentInstruction(owner),
        getMintToInstruction({ mint: mint.address, token: account, mintAuthority: wallet, amount: 5n }, config),
      ],
      {},
      'confirmed',
    )
    const { meta } = await transactionOf(signature)
    expect(meta.postTokenBalances).toMatchObject([{ mint: mint.address, owner: receiver, programId: token2022 }])
    expect([await tokensOf(receiver), await tokensOf(receiver, 'processed', mint.address)]).toEqual([0n, 5n])
  })

  test('cost what the node says, with a price for their compute units', async () => {
    const unitPrice: Instruction = {
      programAddress: address('ComputeBudget111111111111111111111111111111'),
      data: Uint8Array.from([3, ...getU64Encoder().encode(2_000_000n)]),
    }
    const instructions = [unitPrice, ...(await payment(await newAddress(), 1n))]
    const { wire, signature } = await sign(instructions)
    const message = Buffer.from(getBase64Encoder().encode(wire).slice(65)).toString('base64')
    const { value: fee } = await rpc.getFeeForMessage(message as never, { commitment: 'confirmed' }).send()
    await submit(wire)
    await client.reach(signature, 'confirmed')
    expect((await transactionOf(signature)).meta.fee).toBe(fee)
    expect(fee).toBeGreaterThan(5_000n)
  })

  test('wait while their price is too low for the network', async () => {
    await control.fees('SOLANA', { multiplier: 3 })
    const prices = await rpc.getRecentPrioritizationFees().send()
    expect(prices.at(-1)?.prioritizationFee).toBe(3_000n)
    const { wire, signature } = await sign(await payment(await newAddress(), 1n))
    await submit(wire)
    const [waiting] = await control.mine('SOLANA', { blocks: 3 }).then(() => control.status())
    expect([waiting?.pending, await client.statusOf(signature)]).toEqual([1, null])
    await control.fees('SOLANA', { multiplier: 1 })
    await client.reach(signature, 'processed')
  })

  test('are simulated without an effect', async () => {
    const receiver = await newAddress()
    const { wire } = await sign([
      getTransferSolInstruction({ source: wallet, destination: receiver, amount: 10n ** 9n }),
    ])
    const accounts = { encoding: 'base64', addresses: [receiver] } as const
    const config = { encoding: 'base64', commitment: 'confirmed', accounts } as const
    const { value } = await rpc.simulateTransaction(wire, config).send()
    expect(value).toMatchObject({ err: null, unitsConsumed: expect.any(BigInt) })
    expect(value.accounts?.[0]?.lamports).toBe(10n ** 9n)
    expect((await rpc.getBalance(receiver, { commitment: 'processed' }).send()).value).toBe(0n)
  })
})

describe('bad requests', () => {
  const ask = async (body: unknown, headers: Record<string, string> = {}) => {
    const text = typeof body === 'string' ? body : JSON.stringify({ jsonrpc: '2.0', id: 1, ...(body as object) })
    const response = await request(rpcUrls.SOLANA, { method: 'POST', body: text, headers })
    const answer = (await response.body.json()) as { error?: { code: number; message: string } }
    return { status: response.statusCode, body: answer }
  }

  test('are refused in the words of a node', async () => {
    const { wire } = await sign(await payment(await newAddress(), 1n))
    const bytes = Buffer.from(wire, 'base64')
    const changed = (place: number, value: number) => {
      const copy = Buffer.from(bytes)
      copy[place] = value
      return copy.toString('base64')
    }
    const send = (text: string, config: object = { encoding: 'base64' }) => ({
      method: 'sendTransaction',
      params: [text, config],
    })
    const signature = '1'.repeat(64)
    // biome-ignore format: a table is read by column
    const cases: [object | string, number, RegExp][] = [
      ['{',                                                                      -32_700, /parse error/],
      ['[]',                                                                     -32_600, /empty batch/],
      [{ method: 'getSecrets' },                                                 -32_601, /not found/i],
      [{ method: 'getBalance', params: ['0'] },                                  -32_602, /Invalid/],
      [{ method: 'getBalance', params: [usdcMint.slice(2)] },                    -32_602, /WrongSize/],
      [{ method: 'getBalance', params: [usdcMint, { commitment: 'soon' }] },     -32_602, /unknown variant/],
      [{ method: 'getSlot', params: [{ minContextSlot: 10 ** 12 }] },            -32_016, /Minimum context slot/],
      [{ method: 'getAccountInfo', params: [usdcMint, { encoding: 'hex' }] },    -32_602, /unknown variant/],
      [{ method: 'getTransaction', params: [signature, { commitment: 'processed' }] }, -32_602, /below `confirmed`/],
      [{ method: 'getSignatureStatuses', params: [Array(257).fill(signature)] }, -32_602, /max 256/],
      [{ method: 'getSignaturesForAddress', params: [usdcMint, { limit: 1001 }] }, -32_602, /max 1000/],
      [{ method: 'getBlock', params: [10 ** 12] },                               -32_004, /Block not available/],
      [{ method: 'getTokenAccountBalance', params: [usdcMint] },                 -32_602, /not a Token account/],
      [send('AAAA'),                                                             -32_602, /failed to deserialize/],
      [send(bytes.subarray(0, 90).toString('base64')),                           -32_602, /failed to fill whole buffer/],
      [send(Buffer.concat([bytes, bytes]).toString('base64')),                   -32_602, /behind the end/],
      [send('A'.repeat(2_000)),                                                  -32_602, /too large/],
      [send('***'),                                                              -32_602, /invalid base64/],
      [send(wire, {}),                                                           -32_602, /invalid base58/],
      [send(changed(66, 9)),                                                     -32_602, /match the header|sanitize/],
      [send(changed(10, (bytes[10] ?? 0) ^ 1)),                                  -32_003, /signature verification/],
    ]
    for (const [body, code, words] of cases) {
      const { error } = (await ask(body)).body
      expect([body, error?.code, error?.message]).toEqual([body, code, expect.stringMatching(words)])
    }
  })

  test('do not reach the node from a web page or under another name', async () => {
    const slot = { method: 'getSlot' }
    expect((await ask(slot, { origin: 'https://evil.example' })).status).toBe(403)
    expect((await ask(slot, { host: 'evil.example' })).status).toBe(403)
    expect((await ask(`"${'x'.repeat(5 * 1024 * 1024)}"`)).status).toBe(413)
    expect((await ask(slot)).status).toBe(200)
  })

  test('with any changed byte of a transaction leave the chain alive and pay nothing', async () => {
    const receiver = await newAddress()
    const { wire } = await sign(await payment(receiver, 1n))
    const bytes = Buffer.from(wire, 'base64')
    const calls = Array.from(bytes, (byte, place) => {
      const copy = Buffer.from(bytes)
      copy[place] = byte ^ 0x41
      const params = [copy.toString('base64'), { encoding: 'base64', skipPreflight: place % 2 === 0 }]
      return { jsonrpc: '2.0', id: place, method: 'sendTransaction', params }
    })
    await ask(JSON.stringify(calls))
    await control.mine('SOLANA', { blocks: 1 })
    expect([(await control.status())[0]?.pending, await tokensOf(receiver)]).toEqual([0, 0n])
  })
})

/** Creates a lookup table with these addresses. */
async function createTable(addresses: Address[]): Promise<Address> {
  const program = address('AddressLookupTab1e1111111111111111111111111')
  const slot = await rpc.getSlot({ commitment: 'finalized' }).send()
  const seeds = [getAddressEncoder().encode(wallet.address), getU64Encoder().encode(slot)]
  const [table, bump] = await getProgramDerivedAddress({ programAddress: program, seeds })
  const accounts = [
    { address: table, role: AccountRole.WRITABLE },
    { address: wallet.address, role: AccountRole.READONLY_SIGNER, signer: wallet },
    { address: wallet.address, role: AccountRole.WRITABLE_SIGNER, signer: wallet },
    { address: address('11111111111111111111111111111111'), role: AccountRole.READONLY },
  ]
  const words = (...bytes: ArrayLike<number>[]) => Uint8Array.from(bytes.flatMap((each) => [...Array.from(each)]))
  const create = words([0, 0, 0, 0], getU64Encoder().encode(slot) as Uint8Array, [bump])
  const keys = addresses.map((each) => getAddressEncoder().encode(each) as Uint8Array)
  const extend = words([2, 0, 0, 0], getU64Encoder().encode(BigInt(addresses.length)) as Uint8Array, ...keys)
  await send([create, extend].map((data) => ({ programAddress: program, accounts, data })))
  return table
}
