import { expect, test } from 'vitest'
import { NodeError } from '../../../lib/chains/node-error.ts'
import type { SolanaNode, SolanaTransaction } from '../node.ts'
import { shareTransactions } from './shared-reads.ts'

/** A node that has every transaction but cannot tell about some of them. */
function makeNode(broken: readonly string[] = []) {
  const asked: string[] = []
  const transactions: SolanaNode['transactions'] = async (signatures, commitment) => {
    asked.push(`${commitment} ${signatures.join(' ')}`)
    if (signatures.some((each) => broken.includes(each))) throw new NodeError('incomplete', 'no answer')
    return signatures.map((signature) => ({ signature }) as SolanaTransaction)
  }
  return { asked, node: shareTransactions({ transactions } as SolanaNode) }
}

const namesOf = (read: readonly (SolanaTransaction | undefined)[]) => read.map((each) => each?.signature)

test('a transaction of several accounts is read once at each commitment', async () => {
  const { asked, node } = makeNode()
  const read = await Promise.all([
    node.transactions(['a', 'b'], 'finalized'),
    node.transactions(['b', 'c', 'a'], 'finalized'),
    node.transactions(['b'], 'confirmed'),
  ])
  expect(read.map(namesOf)).toEqual([['a', 'b'], ['b', 'c', 'a'], ['b']])
  expect(asked).toEqual(['finalized a b', 'finalized c', 'confirmed b'])
})

test('an account whose transactions cannot be read holds up no other, and is not asked about twice', async () => {
  const { asked, node } = makeNode(['a'])
  const [first, second] = await Promise.allSettled([
    node.transactions(['a', 'b'], 'finalized'),
    node.transactions(['b'], 'finalized'),
  ])
  expect(first.status).toBe('rejected')
  expect(second).toMatchObject({ status: 'fulfilled', value: [{ signature: 'b' }] })
  expect(asked).toEqual(['finalized a b', 'finalized b'])
})
