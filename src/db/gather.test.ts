import { expect, test } from 'vitest'
import { gather } from './gather.ts'

/** A database that answers when it is told to, and remembers what went together. */
function setUp({ most = 64, inFlight = 2 } = {}) {
  const batches: string[] = []
  const held: (() => void)[] = []
  const ask = gather<string, string>({
    run: async (requests) => {
      batches.push(requests.join(' '))
      await new Promise<void>((resolve) => held.push(resolve))
      const failing = requests.find((request) => request.startsWith('!'))
      if (failing === '!ring' && requests.length > 1) throw Object.assign(new Error('deadlock'), { code: '40P01' })
      if (failing === '!away') throw Object.assign(new Error('the server is stopping'), { code: '57P01' })
      if (failing) throw new Error(`cannot ${failing}`)
      return requests.filter((request) => request !== '?').map((request) => request.toUpperCase())
    },
    ...{ most, inFlight },
  })
  const askAll = (words: string) => Promise.allSettled(words.split(' ').map(ask))
  /** Lets them end, the oldest first, and those that start because of that. */
  const finish = async () => {
    for (let end = held.shift(); end; end = held.shift()) {
      end()
      await new Promise(setImmediate)
    }
  }
  return { ask, askAll, finish, batches }
}
const shown = (answers: PromiseSettledResult<string>[]) =>
  answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : answer.reason.message))

test('a request goes at once, and alone', async () => {
  const { ask, finish, batches } = setUp()
  const answer = ask('a')
  expect(batches).toEqual(['a'])
  await finish()
  expect(await answer).toBe('A')
})

// biome-ignore format: a table is read by column
test.each([
  // most  in flight  asked          in which statements
  [64,     1,         'a b c d e',   ['a', 'b c d e']],
  [64,     2,         'a b c d e',   ['a', 'b', 'c d e']],
  [2,      1,         'a b c d e f', ['a', 'b c', 'd e', 'f']],
  [1,      2,         'a b c',       ['a', 'b', 'c']],
])('at most %i together and %i in flight: %s goes as %j', async (most, inFlight, asked, expected) => {
  const { askAll, finish, batches } = setUp({ most, inFlight })
  const answers = askAll(asked)
  expect(batches).toEqual(expected.slice(0, inFlight))
  await finish()
  expect(shown(await answers)).toEqual(asked.toUpperCase().split(' '))
  expect(batches).toEqual(expected)
})

test('one that fails a statement does not fail its neighbours: each is run again alone', async () => {
  const { askAll, finish, batches } = setUp({ inFlight: 1 })
  const answers = askAll('a b !c d')
  await finish()
  expect(shown(await answers)).toEqual(['A', 'B', 'cannot !c', 'D'])
  expect(batches).toEqual(['a', 'b !c d', 'b', '!c', 'd'])
})

test('a deadlock has undone them, so each is run again alone', async () => {
  const { askAll, finish, batches } = setUp({ inFlight: 1 })
  const answers = askAll('a b !ring')
  await finish()
  expect(shown(await answers)).toEqual(['A', 'B', 'cannot !ring'])
  expect(batches).toEqual(['a', 'b !ring', 'b', '!ring'])
})

test('one that fails alone is not run again', async () => {
  const { askAll, finish, batches } = setUp()
  const answers = askAll('!a')
  await finish()
  expect(shown(await answers)).toEqual(['cannot !a'])
  expect(batches).toEqual(['!a'])
})

test('when the database is away nobody knows what happened, and nothing is run again', async () => {
  const { askAll, finish, batches } = setUp({ inFlight: 1 })
  const answers = askAll('a b !away c')
  await finish()
  expect(shown(await answers)).toEqual(['A', ...Array(3).fill('the server is stopping')])
  expect(batches).toEqual(['a', 'b !away c'])
})

test('after a failure the next ones go as ever', async () => {
  const { ask, askAll, finish } = setUp({ inFlight: 1 })
  const failing = askAll('!a !away')
  await finish()
  await failing
  const next = ask('b')
  await finish()
  expect(await next).toBe('B')
})

test('when it goes away while they are run alone, the rest is told at once', async () => {
  const { askAll, finish, batches } = setUp({ inFlight: 1 })
  const answers = askAll('a !b !away c d')
  await finish()
  expect(shown(await answers)).toEqual(['A', 'cannot !b', ...Array(3).fill('the server is stopping')])
  expect(batches).toEqual(['a', '!b !away c d', '!b', '!away'])
})

test('a statement that forgets one of them answers nobody: the answers could be anybody’s', async () => {
  const { askAll, finish, batches } = setUp({ inFlight: 1 })
  const answers = askAll('a b ? c')
  await finish()
  expect(shown(await answers)).toEqual(['A', ...Array(3).fill('3 requests were run together and 2 answered')])
  expect(batches).toEqual(['a', 'b ? c'])
})
