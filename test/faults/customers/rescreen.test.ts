import { type ChildProcess, spawn } from 'node:child_process'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { insertServedCustomers } from '../../support/customers/many-customers.ts'
import { startApi, testMasterKey } from '../../support/runner/api.ts'
import { eventually } from '../../support/runner/eventually.ts'

const api = await startApi()
const script = path.join(import.meta.dirname, '..', '..', 'support', 'screening', 'rescreen-process.ts')

type Rescreener = { child: ChildProcess; exited: Promise<unknown>; compared(): string[]; errors(): string }

function startRescreener(leaseMs: number, pauseAfter: number): Rescreener {
  const settings = { database: api.database.app, leaseMs, pauseAfter, masterKey: testMasterKey.toString('hex') }
  const child = spawn(process.execPath, [script, JSON.stringify(settings)])
  onTestFinished(() => void child.kill('SIGKILL'))
  let text = ''
  let errors = ''
  child.stdout.on('data', (chunk) => {
    text += chunk
  })
  child.stderr.on('data', (chunk) => {
    errors += chunk
  })
  const exited = new Promise((resolve) => child.on('close', resolve))
  return {
    child,
    exited,
    compared: () => text.split('\n').filter((line) => line.startsWith('Ada')),
    errors: () => errors,
  }
}

async function countScreened(): Promise<number> {
  const text = 'select count(*)::int as screened from svc.screenings where screened_version = 1'
  return (await api.app.database.query<{ screened: number }>({ text }))[0]?.screened ?? 0
}

test('a killed rescreen resumes where it ended, and two workers screen each remaining customer once', async () => {
  const names = Array.from({ length: 300 }, (_, at) => ({ firstName: 'Ada', lastName: `Example ${at}` }))
  const { organizationId } = await api.app.credentials.createFullKey('Rescreen')
  await insertServedCustomers(api.app, organizationId, names)

  const killed = startRescreener(500, 121)
  await eventually(() => expect(killed.compared().length, killed.errors()).toBe(121))
  killed.child.kill('SIGKILL')
  await killed.exited
  const done = await countScreened()
  expect(done).toBeGreaterThanOrEqual(100)
  expect(done).toBeLessThan(300)

  // Each has claimed some before either goes on.
  const others = [startRescreener(30_000, 1), startRescreener(30_000, 1)]
  const errors = () => others.map((each) => each.errors()).join()
  await eventually(() =>
    expect(
      others.map(({ compared }) => compared().length),
      errors(),
    ).toEqual([1, 1]),
  )
  for (const { child } of others) child.stdin?.write('go on\n')
  await eventually(async () => expect(await countScreened(), errors()).toBe(300))
  const [first = [], second = []] = others.map((each) => each.compared())
  expect(first.filter((name) => second.includes(name))).toEqual([])
  expect(first.length).toBeGreaterThan(0)
  expect(second.length).toBeGreaterThan(0)
  expect(first.length + second.length).toBe(300 - done)
  const all = new Set([...killed.compared(), ...first, ...second])
  expect(all.size).toBe(300)
})
