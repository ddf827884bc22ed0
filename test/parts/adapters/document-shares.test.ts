import { expect, onTestFinished, test } from 'vitest'
import { createDocumentChecker } from '../../../src/adapters/documents/document-checker.ts'
import { createDocumentThreads } from '../../../src/adapters/documents/document-threads.ts'
import { makeJpeg, makePicture, send } from '../../support/customers/document-files.ts'

/** Threads whose files never become ready: what has started stays under way. */
function startStuck(options: { threads: number; threadsOfOne?: number }) {
  const threads = createDocumentThreads(options)
  const started: string[] = []
  const ready = Promise.withResolvers<never>()
  onTestFinished(async () => {
    ready.reject(new Error('the test has ended'))
    await threads.close()
  })
  return {
    started,
    add: (organizationId: string, name: string) => {
      const run = threads.run(organizationId, () => {
        started.push(name)
        return ready.promise
      })
      run.catch(() => {})
    },
  }
}

test('files of one organization leave a thread to another, which starts at once', () => {
  const { add, started } = startStuck({ threads: 3 })
  for (const name of ['a1', 'a2', 'a3', 'a4']) add('a', name)
  expect(started).toEqual(['a1', 'a2'])
  add('b', 'b1')
  expect(started).toEqual(['a1', 'a2', 'b1'])
})

test('a file of an organization is checked before the backlog of another, regardless of the order of arrival', async () => {
  const checker = createDocumentChecker({ threads: 1, timeLimitMs: 240_000 })
  onTestFinished(() => checker.close())
  const file = send('image/jpeg', await makeJpeg())
  const done: string[] = []
  const check = async (organizationId: string, name: string) => {
    expect(await checker.check(organizationId, file)).toMatchObject({ ok: true })
    done.push(name)
  }
  const backlog = ['a1', 'a2', 'a3', 'a4', 'a5'].map((name) => check('a', name))
  await Promise.all([...backlog, check('b', 'b1'), check('b', 'b2')])
  expect(done).toEqual(['a1', 'a2', 'b1', 'a3', 'b2', 'a4', 'a5'])
})

test('pictures of one organization that fill its memory leave room for one of another', async () => {
  const turned = send('image/jpeg', await makePicture().withMetadata({ orientation: 3 }).jpeg().toBuffer())
  // Each picture is larger than the budget: each organization works on one, and both never at once.
  const checker = createDocumentChecker({ threads: 3, memoryBytes: 1, timeLimitMs: 240_000 })
  onTestFinished(() => checker.close())
  const done: string[] = []
  const check = async (organizationId: string) => {
    expect(await checker.check(organizationId, turned)).toMatchObject({ ok: true })
    done.push(organizationId)
  }
  // Starts the threads: how long that takes is up to the machine, and files of the other organization may pass meanwhile.
  await Promise.all([check('a'), check('a'), check('b')])
  done.length = 0
  await Promise.all([...Array.from({ length: 8 }, () => check('a')), check('b')])
  expect(done.indexOf('b')).toBeLessThan(8)
})
