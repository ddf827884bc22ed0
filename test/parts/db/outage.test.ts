import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../../src/db/database.ts'
import { createLogger } from '../../../src/http/log.ts'
import { createOutageReport } from '../../../src/http/outage.ts'
import { makeDatabase } from '../../support/runner/database.ts'
import { freePort } from '../../support/runner/process.ts'

async function failOnce(): Promise<Error> {
  const connection = { url: `postgres://svc@127.0.0.1:${await freePort()}/svc` }
  const database = openDatabase({ connection })
  onTestFinished(database.close)
  return database.query({ text: 'select 1' }).then(
    () => new Error('it answered'),
    (error: Error) => error,
  )
}

test('an outage is one line, one summary a minute, and one line at its end', async () => {
  let now = 0
  const lines: unknown[][] = []
  const { filter, end } = createOutageReport(() => now)
  const write = (...entry: unknown[]) => void lines.push(entry)
  const log = (entry: object) => filter.call(undefined as never, [entry, 'a job failed'] as never, write as never)
  const error = await failOnce()
  for (now = 0; now < 150_000; now += 1_000) log({ err: error })
  log({ err: new Error('it failed', { cause: error }) })
  end({ info: write })
  end({ info: write })
  expect(lines).toEqual([
    [{ code: 'ECONNREFUSED' }, expect.stringMatching(/does not answer/)],
    [{ code: 'ECONNREFUSED', seconds: 60, failures: 61 }, 'the database is still away'],
    [{ code: 'ECONNREFUSED', seconds: 120, failures: 121 }, 'the database is still away'],
    [{ seconds: 150, failures: 151 }, 'the database answers again'],
  ])
})

test('an error of another server with the same code is logged in full', async () => {
  const lines: string[] = []
  const log = createLogger('info', { write: (line) => void lines.push(line) })
  const other = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED', syscall: 'connect' })
  log.error({ err: other }, 'a node does not answer')
  log.error({ err: other }, 'a node does not answer')
  expect(lines).toHaveLength(2)
  expect(lines[0]).toContain('"stack"')
})

test('a lost connection is told once, and the next answer ends it; a refused statement is no outage', async () => {
  const { owner } = await makeDatabase()
  const told: string[] = []
  const lines: string[] = []
  const log = createLogger('info', { write: (line) => void lines.push(line) })
  const onAnswer = () => {
    told.push('answers')
    log.databaseAnswers()
  }
  const database = openDatabase({ connection: owner, connections: 1, onAnswer })
  onTestFinished(database.close)
  const refused = await database.query({ text: 'select nothing' }).catch((error: Error) => error)
  log.error({ err: refused }, 'a statement failed')
  expect([told, lines.length]).toEqual([[], 1])
  const lost = await database.query({ text: 'select pg_terminate_backend(pg_backend_pid())' }).catch((error) => error)
  log.error({ err: lost }, 'a job failed')
  log.error({ err: lost }, 'a job failed')
  await database.query({ text: 'select 1' })
  expect(told).toEqual(['answers'])
  expect(lines.slice(1).map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual([
    expect.stringMatching(/has ended a connection/),
    'the database answers again',
  ])
})
