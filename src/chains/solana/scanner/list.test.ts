import { expect, test } from 'vitest'
import type { SignatureRange, SolanaNode } from '../node.ts'
import { listFinal } from './list.ts'

/** A node with this many transactions of one account; more come while they are listed. */
function makeNode(count: number) {
  const all = Array.from({ length: count }, (_, at) => ({ signature: `t${at}`, slot: BigInt(at), isFailed: false }))
  let calls = 0
  const signaturesOf: SolanaNode['signaturesOf'] = async (_, { until, before, most }: SignatureRange) => {
    calls += 1
    const place = (signature: string | null, other: number) =>
      signature === null ? other : all.findIndex((each) => each.signature === signature)
    const between = all.slice(place(until, -1) + 1, place(before, all.length))
    return { signatures: between.slice(-most), isAll: between.length <= most }
  }
  const grow = () => all.push({ signature: `t${all.length}`, slot: BigInt(all.length), isFailed: false })
  return { node: { signaturesOf } as SolanaNode, grow, total: () => all.length, callsOf: () => calls }
}

test.each([0, 1, 1_000, 1_001, 12_345])('%i transactions are passed once, in their order', async (count) => {
  const { node, grow, total, callsOf } = makeNode(count)
  const marks: string[] = []
  const passed: string[] = []
  let isAll = false
  for (let turn = 0; !isAll && turn < 200; turn += 1) {
    const before = callsOf()
    const watched = { account: 'account', signature: passed.at(-1) ?? null }
    const listed = await listFinal(node, watched, { slots: { confirmed: 0n, finalized: 0n }, marks })
    expect(callsOf() - before).toBeLessThanOrEqual(5)
    const some = listed.signatures.slice(0, 600)
    passed.push(...some.map(({ signature }) => signature))
    isAll = listed.isAll && some.length === listed.signatures.length
    if (turn < 10 && !isAll) grow()
  }
  expect(passed).toEqual(Array.from({ length: total() }, (_, at) => `t${at}`))
})
