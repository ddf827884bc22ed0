import { expect, test } from 'vitest'
import { createSolanaNode } from '../../../src/adapters/chains/solana/solana-node.ts'
import { createOutboundHttp } from '../../../src/adapters/outbound-http.ts'
import { referenceKeyOf } from '../../../src/lib/solana/transfer.ts'
import { startLocalSolana } from '../../support/chains/local-chains.ts'
import { about, startLyingNode } from '../../support/chains/lying-node.ts'
import { readSolana } from '../../support/chains/solana-world.ts'

/** The word of one node makes no transaction dead that can still be executed: it would be paid twice. */
const chains = await startLocalSolana()
const real = chains.rpcUrls.SOLANA
const liar = await startLyingNode(real)
const { rpc } = readSolana(real)
const genesisHash = await rpc.getGenesisHash().send()
const http = createOutboundHttp()
const open = (rpcUrls: string[], quorum: number) =>
  createSolanaNode(http, { genesisHash, rpcUrls, quorum, timeoutMs: 5_000, isRealTime: true })
const height = async () => await rpc.getBlockHeight({ commitment: 'finalized' }).send()

type Blockhash = { value: { lastValidBlockHeight: number } }
const livesUntil = (change: number) =>
  about('getLatestBlockhash', (answer: Blockhash) => ({
    ...answer,
    value: { ...answer.value, lastValidBlockHeight: answer.value.lastValidBlockHeight + change },
  }))

test('a blockhash lives as long as the blocks of the quorum allow, regardless of one node', async () => {
  await chains.control.mine('SOLANA', { blocks: 300 })
  const node = open([liar.url, real, real], 2)
  liar.lies(livesUntil(-100))
  const reached = await height()
  expect((await node.latestBlockhash()).lastValidBlockHeight).toBeGreaterThanOrEqual(reached + 150n)
  // Another node is asked instead.
  for (const change of [-200, 1_000_000]) {
    liar.lies(livesUntil(change))
    const { lastValidBlockHeight } = await node.latestBlockhash()
    expect(lastValidBlockHeight).toBeGreaterThanOrEqual(reached + 150n)
    expect(lastValidBlockHeight).toBeLessThan((await height()) + 500n)
  }
  await expect(open([liar.url], 1).latestBlockhash()).rejects.toMatchObject({ kind: 'unavailable' })
})

test('one node that is ahead of all others proves no death', async () => {
  const signature = '1'.repeat(64)
  const mortal = {
    signature,
    blockhash: '1'.repeat(32),
    lastValidBlockHeight: (await height()) + 100n,
    reference: referenceKeyOf('an obligation'),
  }
  liar.lies(about('getBlockHeight', (answer: number) => answer + 1_000_000))
  expect(await open([liar.url, real, real], 1).findDeath(mortal)).toBeUndefined()
  const past = { ...mortal, lastValidBlockHeight: 10n }
  expect(await open([liar.url, real, real], 2).findDeath(past)).toMatchObject({ height: expect.any(BigInt) })
})

test('a node that is behind proves no death: it has not seen the blockhash', async () => {
  const mortal = {
    signature: '1'.repeat(64),
    blockhash: '1'.repeat(32),
    lastValidBlockHeight: 10n,
    reference: referenceKeyOf('an obligation'),
  }
  liar.lies(about('getBlockTime', (time: number) => time - 120))
  await expect(open([liar.url], 1).findDeath(mortal)).rejects.toMatchObject({ kind: 'unavailable' })
  liar.lies()
  expect(await open([liar.url], 1).findDeath(mortal)).toMatchObject({ height: expect.any(BigInt) })
})

test('a failure is believed when most nodes have it in a final block, and none tells of a success', async () => {
  const other = await startLyingNode(real)
  const tells = (err: unknown) =>
    about('getSignatureStatuses', (answer: object) => ({
      ...answer,
      value: [{ slot: 1, confirmations: null, err, confirmationStatus: 'finalized' }],
    }))
  const signature = '1'.repeat(64)
  liar.lies(tells('AccountNotFound'))
  expect(await open([liar.url, real, real], 1).hasFailed(signature)).toBe(false)
  other.lies(tells('AccountNotFound'))
  expect(await open([liar.url, other.url, real], 2).hasFailed(signature)).toBe(true)
  expect(await open([liar.url, other.url, real], 3).hasFailed(signature)).toBe(false)
  liar.lies(tells(null))
  expect(await open([liar.url, other.url, other.url], 2).hasFailed(signature)).toBe(false)
  liar.lies()
})
