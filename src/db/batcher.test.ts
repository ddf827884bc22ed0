import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { addressOfActor, fromSource } from './audit/request-source.ts'
import { createBatcher } from './batcher.ts'

type Options = { batchSize?: number; concurrency?: number; collects?: boolean; gathers?: number; hasKeys?: boolean }

/** A database that answers on command and records which requests each statement held. */
function setUp({ batchSize = 64, concurrency = 2, collects = false, gathers, hasKeys = false }: Options = {}) {
  const batches: string[] = []
  const held: (() => void)[] = []
  const ask = createBatcher<string, string>({
    run: async (requests) => {
      batches.push(requests.join(' '))
      await new Promise<void>((resolve) => held.push(resolve))
      const failing = requests.find((request) => request.startsWith('!'))
      if (failing === '!ring' && requests.length > 1) throw Object.assign(new Error('deadlock'), { code: '40P01' })
      if (failing?.startsWith('!slow')) throw Object.assign(new Error('took too long'), { code: '57014' })
      if (failing?.startsWith('!locked')) throw Object.assign(new Error('waited too long'), { code: '55P03' })
      if (failing === '!away') throw Object.assign(new Error('the server is stopping'), { code: '57P01' })
      if (failing === '!tls') throw Object.assign(new Error('bad record mac'), { code: 'ERR_SSL_BAD_RECORD_MAC' })
      if (failing) throw new Error(`cannot ${failing}`)
      return requests.filter((request) => request !== '?').map((request) => request.toUpperCase())
    },
    batchSize,
    concurrency,
    collects,
    ...(gathers !== undefined && { gathers: { requests: gathers, ms: 20 } }),
    // The key of a1 and a2 is a.
    ...(hasKeys && { nameOf: (request: string) => request.replace(/^!/, '')[0] }),
  })
  const askAll = (words: string) => Promise.allSettled(words.split(' ').map(ask))
  /** Ends the running statements, oldest first, and the ones that start meanwhile. */
  const finish = async () => {
    for (let end = held.shift(); end; end = held.shift()) {
      end()
      await new Promise(setImmediate)
    }
  }
  /** Ends the statement that started last. */
  const finishLast = async () => {
    held.pop()?.()
    await new Promise(setImmediate)
  }
  return { ask, askAll, finish, finishLast, batches }
}
const shown = (answers: PromiseSettledResult<string>[]) =>
  answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : answer.reason.message))

test('a request runs at once, alone', async () => {
  const { ask, finish, batches } = setUp()
  const answer = ask('a')
  expect(batches).toEqual(['a'])
  await finish()
  expect(await answer).toBe('A')
})

// biome-ignore format: a table is read by column
test.each([
  // size  concurrent  asked          statements
  [64,     1,          'a b c d e',   ['a', 'b c d e']],
  [64,     2,          'a b c d e',   ['a', 'b', 'c d e']],
  [2,      1,          'a b c d e f', ['a', 'b c', 'd e', 'f']],
  [1,      2,          'a b c',       ['a', 'b', 'c']],
])('in batches of %i, %i at a time, %s runs as %j', async (batchSize, concurrency, asked, expected) => {
  const { askAll, finish, batches } = setUp({ batchSize, concurrency })
  const answers = askAll(asked)
  expect(batches).toEqual(expected.slice(0, concurrency))
  await finish()
  expect(shown(await answers)).toEqual(asked.toUpperCase().split(' '))
  expect(batches).toEqual(expected)
})

test('a batcher that collects runs requests of the same moment together, and later ones apart', async () => {
  const { askAll, finish, batches } = setUp({ collects: true })
  const first = askAll('a b c')
  expect(batches).toEqual([])
  await new Promise(setImmediate)
  const second = askAll('d e')
  await new Promise(setImmediate)
  expect(batches).toEqual(['a b c', 'd e'])
  await finish()
  expect(shown((await Promise.all([first, second])).flat())).toEqual(['A', 'B', 'C', 'D', 'E'])
})

describe('a batcher that gathers three requests', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  test('starts the first request at once, and others when there are three or the statement ends', async () => {
    const { askAll, finish, batches } = setUp({ gathers: 3 })
    const answers = askAll('a b c d e f')
    expect(batches).toEqual(['a', 'b c d'])
    await finish()
    expect(shown(await answers)).toEqual(['A', 'B', 'C', 'D', 'E', 'F'])
    expect(batches).toEqual(['a', 'b c d', 'e f'])
  })

  test('lets no request wait longer than the time for a slow statement', async () => {
    const { askAll, finish, finishLast, batches } = setUp({ gathers: 3 })
    const first = askAll('a b')
    vi.advanceTimersByTime(19)
    expect(batches).toEqual(['a'])
    vi.advanceTimersByTime(1)
    expect(batches).toEqual(['a', 'b'])
    const second = askAll('c d')
    await finishLast()
    // The first statement still runs, and is no longer waited for.
    expect(batches).toEqual(['a', 'b', 'c d'])
    await finish()
    expect(shown((await Promise.all([first, second])).flat())).toEqual(['A', 'B', 'C', 'D'])
  })

  test('leaves no timer behind', async () => {
    const { askAll, finish } = setUp({ gathers: 3 })
    const answers = askAll('a b c d e')
    await finish()
    await answers
    expect(vi.getTimerCount()).toBe(0)
  })
})

test('a request that fails a statement does not fail the others: halves are retried', async () => {
  const { askAll, finish, batches } = setUp({ concurrency: 1 })
  const answers = askAll('a b !c d')
  await finish()
  expect(shown(await answers)).toEqual(['A', 'B', 'cannot !c', 'D'])
  expect(batches).toEqual(['a', 'b !c d', 'b !c', 'b', '!c', 'd'])
})

test('one failing request of a large batch costs its neighbours a few statements, not one each', async () => {
  const { askAll, finish, batches } = setUp({ concurrency: 1 })
  const words = ['a', '!b', ...Array.from({ length: 15 }, (_, at) => `c${at}`)]
  const answers = askAll(words.join(' '))
  await finish()
  expect(shown(await answers)).toEqual(words.map((word) => (word === '!b' ? 'cannot !b' : word.toUpperCase())))
  // Halves: 16, 8, 4, 2, 1 and the other half of each.
  expect(batches).toHaveLength(10)
})

test('a deadlock rolled the statement back, so each request is retried alone', async () => {
  const { askAll, finish, batches } = setUp({ concurrency: 1 })
  const answers = askAll('a b !ring')
  await finish()
  expect(shown(await answers)).toEqual(['A', 'B', 'cannot !ring'])
  expect(batches).toEqual(['a', 'b !ring', 'b', '!ring'])
})

test.each([
  ['!slow', 'took too long'],
  ['!locked', 'waited too long'],
])('the time-out of %s rolled the statement back, so each request is retried alone', async (request, message) => {
  const { askAll, finish, batches } = setUp({ concurrency: 1 })
  const answers = askAll(`a b ${request} c d`)
  await finish()
  expect(shown(await answers)).toEqual(['A', 'B', message, 'C', 'D'])
  expect(batches).toEqual(['a', `b ${request} c d`, 'b', request, 'c', 'd'])
})

test('after the second request that times out alone, the rest fails at once', async () => {
  const { askAll, finish, batches } = setUp({ concurrency: 1 })
  const answers = askAll('a !slow1 b !slow2 c')
  await finish()
  expect(shown(await answers)).toEqual(['A', 'took too long', 'B', 'took too long', 'took too long'])
  expect(batches).toEqual(['a', '!slow1 b !slow2 c', '!slow1', 'b', '!slow2'])
})

test('a request with the key of a running one waits for its answer, and those behind it do not', async () => {
  const { askAll, finish, batches } = setUp({ hasKeys: true })
  const answers = askAll('a1 b1 a2 c1 c2 !c3 d1')
  await finish()
  expect(shown(await answers)).toEqual(['A1', 'B1', 'A2', 'C1', 'C2', 'cannot !c3', 'D1'])
  // The refusal of c3 makes no neighbour run again.
  expect(batches).toEqual(['a1', 'b1', 'a2 c1 d1', 'c2', '!c3'])
})

test('a request that fails alone is not retried', async () => {
  const { askAll, finish, batches } = setUp()
  const answers = askAll('!a')
  await finish()
  expect(shown(await answers)).toEqual(['cannot !a'])
  expect(batches).toEqual(['!a'])
})

test.each([
  ['!away', 'the server is stopping'],
  ['!tls', 'bad record mac'],
])('after %s the outcome of the statement is unknown, and nothing is retried', async (request, message) => {
  const { askAll, finish, batches } = setUp({ concurrency: 1 })
  const answers = askAll(`a b ${request} c`)
  await finish()
  expect(shown(await answers)).toEqual(['A', message, message, message])
  expect(batches).toEqual(['a', `b ${request} c`])
})

test('requests after a failure run as before', async () => {
  const { ask, askAll, finish } = setUp({ concurrency: 1 })
  const failing = askAll('!a !away')
  await finish()
  await failing
  const next = ask('b')
  await finish()
  expect(await next).toBe('B')
})

test('when the database becomes unavailable during the retries, the rest fails at once', async () => {
  const { askAll, finish, batches } = setUp({ concurrency: 1 })
  const answers = askAll('a !b !away c d')
  await finish()
  expect(shown(await answers)).toEqual(['A', 'cannot !b', ...Array(3).fill('the server is stopping')])
  expect(batches).toEqual(['a', '!b !away c d', '!b !away', '!b', '!away'])
})

test('a statement with too few answers answers no request: they cannot be matched', async () => {
  const { askAll, finish, batches } = setUp({ concurrency: 1 })
  const answers = askAll('a b ? c')
  await finish()
  expect(shown(await answers)).toEqual(['A', ...Array(3).fill('a statement for 3 requests returned 2 answers')])
  expect(batches).toEqual(['a', 'b ? c'])
})

test('a batch runs for no single request, and each request goes on with its own source', async () => {
  const actor = 'api_key:a'
  const during: (string | null)[] = []
  const ask = createBatcher<number, number>({
    run: async (requests) => {
      await Promise.resolve()
      during.push(...requests.map(() => addressOfActor(actor)))
      return [...requests]
    },
    batchSize: 64,
    concurrency: 1,
  })
  const request = (address: string) =>
    fromSource({ apiKeyId: 'a', address }, async () => {
      await ask(1)
      return addressOfActor(actor)
    })
  const addresses = ['192.0.2.1', '192.0.2.2', '192.0.2.3']
  expect(await Promise.all(addresses.map(request))).toEqual(addresses)
  expect(during).toEqual([null, null, null])
})
