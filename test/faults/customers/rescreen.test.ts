import { type ChildProcess, spawn } from 'node:child_process'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { insertServedCustomers } from '../../support/customers/many-customers.ts'
import { startApi, testMasterKey } from '../../support/runner/api.ts'
import { eventually } from '../../support/runner/eventually.ts'

const api = await startApi()
const script = path.join(import.meta.dirname, '..', '..', 'support', 'screening', 'rescreen-process.ts')

type Rescreener = { child: ChildProcess; exited: Promise<unknown>; compared(): string[]; errors(): string }

function startRescreener(leaseMs: number): Rescreener {
  const settings = { database: api.database.app, leaseMs, masterKey: testMasterKey.toString('hex') }
  const child = spawn(process.execPath, [script, JSON.stringify(settings)], { stdio: ['ignore', 'pipe', 'pipe'] })
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

  const killed = startRescreener(500)
  const slow = { interval: 10 }
  await eventually(() => expect(killed.compared().length, killed.errors()).toBeGreaterThan(120), slow)
  killed.child.kill('SIGKILL')
  await killed.exited
  const done = await countScreened()
  expect(done).toBeGreaterThanOrEqual(100)
  expect(done).toBeLessThan(300)

  const others = [startRescreener(30_000), startRescreener(30_000)]
  await eventually(
    async () => expect(await countScreened(), others.map((each) => each.errors()).join()).toBe(300),
    slow,
  )
  const [first = [], second = []] = others.map((each) => each.compared())
  expect(first.filter((name) => second.includes(name))).toEqual([])
  expect(first.length).toBeGreaterThan(0)
  expect(second.length).toBeGreaterThan(0)
  expect(first.length + second.length).toBe(300 - done)
  const all = new Set([...killed.compared(), ...first, ...second])
  expect(all.size).toBe(300)
})
