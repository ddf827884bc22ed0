import { execFile } from 'node:child_process'
import { readFile, stat, symlink } from 'node:fs/promises'
import { request } from 'node:http'
import { createServer } from 'node:net'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { makeDatabase } from './support/runner/database.ts'
import { makeFolder } from './support/runner/folder.ts'
import {
  childrenOf,
  makeDataFolder,
  readDevEnv,
  type Svc,
  svc,
  untilFileEnds,
  urlOf,
} from './support/runner/process.ts'

const ready = /Svc is running in sandbox mode/
const { folder, remove } = await makeFolder('svc start ')
const { folder: reader, remove: removeReader } = await makeFolder('svc reader ')
const untilEnd = untilFileEnds()
// Any other program on the default port serves these tests as well.
const squatter = createServer().on('error', () => {})
squatter.listen(8080, '127.0.0.1')

async function start(settings: Record<string, string> = {}): Promise<Svc> {
  // One batch of wallet addresses is enough here: more would only keep the signer busy.
  // Short delays give the printed pauses of the quickstart room on a busy machine.
  const delays = { SVC_SANDBOX_VERIFICATION_DELAY: '1', SVC_SANDBOX_PAYOUT_DELAY: '0' }
  const wanted = { SVC_DATA_DIR: folder, SVC_ADDRESS_POOL_SIZE: '1', ...delays, ...settings }
  const running = svc(['dev'], wanted, '', untilEnd)
  await running.prints(ready)
  await running.prints(/keeps all data/)
  return running
}

/** A start takes seconds, so the tests share one service: after a test that ends it, the next one restarts it. */
let running: Svc | undefined
async function ensureRunning(): Promise<Svc> {
  running ??= await start()
  return running
}

async function awaitEnd(): Promise<number | null> {
  const ended = running
  running = undefined
  return ended ? ended.exited : 0
}

afterAll(async () => {
  running?.child.kill('SIGTERM')
  expect(await awaitEnd()).toBe(0)
  squatter.close()
  await remove()
  await removeReader()
})

/** The blocks of a page in one language, in order. A block without a language shows what a command prints. */
async function readBlocks(page: string, language: string): Promise<string[]> {
  const blocks = (await readFile(page, 'utf8')).matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))
  return [...blocks].map(([, block = '']) => block)
}

/** Runs the shell blocks of a page as a reader does, in a second terminal, and resolves with all that they print. */
async function followPage(page: string): Promise<string> {
  const blocks = (await readBlocks(page, 'sh')).filter((block) => !block.startsWith('npm '))
  expect(blocks.length).toBeGreaterThan(4)
  const env = { PATH: `${path.dirname(process.execPath)}:${process.env.PATH}` }
  const options = { cwd: reader, env, timeout: 280_000 }
  return (await promisify(execFile)('sh', ['-eu', '-c', blocks.join('\n')], options)).stdout
}

async function organizations(): Promise<number> {
  const { baseUrl, apiKey } = await readDevEnv(folder)
  return (await fetch(`${baseUrl}/organizations`, { headers: { authorization: `Bearer ${apiKey}` } })).status
}

test('the first start prints the first steps, Ctrl-C keeps the data, and the second start finds it', async () => {
  const first = await start({ PORT: '0' })
  const curl = /curl -H 'Authorization: (Bearer \S+)' (\S+)/.exec(first.output())
  expect((await fetch(curl?.[2] ?? '', { headers: { authorization: curl?.[1] ?? '' } })).status).toBe(200)
  for (const line of [/API +http/, /Docs +http\S+\/docs/, /API key +svc_test_/, /Data folder +\//])
    expect(first.output()).toMatch(line)
  const rates = `${curl?.[2]?.replace('/organizations', '')}/exchange-rates?sourceCurrency=EUR&sourcePaymentMethod=SEPA`
  const rate = `${rates}&destinationCurrency=USDC&destinationPaymentMethod=BASE`
  expect((await fetch(rate, { headers: { authorization: curl?.[1] ?? '' } })).status).toBe(200)
  expect((await stat(path.join(folder, 'dev.env'))).mode & 0o777).toBe(0o600)
  expect((await stat(path.join(folder, 'master.key'))).mode & 0o777).toBe(0o600)
  const { apiKey } = await readDevEnv(folder)
  first.child.kill('SIGINT')
  expect(await first.exited).toBe(0)

  await ensureRunning()
  expect((await readDevEnv(folder)).apiKey).toBe(apiKey)
  expect(await organizations()).toBe(200)
})

test('without PORT, Svc uses the next free port; a PORT that is in use is an error', async () => {
  const moved = await ensureRunning()
  expect(moved.output()).toMatch(/Port 8080 is in use/)
  expect((await readDevEnv(folder)).baseUrl).not.toMatch(/:8080$/)
  expect(await organizations()).toBe(200)

  const database = urlOf((await makeDatabase()).owner)
  const refused = svc(['dev'], { DATABASE_URL: database, SVC_DATA_DIR: await makeDataFolder(), PORT: '8080' })
  expect(await refused.exited).toBe(1)
  expect(refused.output()).toMatch(/PORT=8080 is in use/)
})

test('a second start on the same data folder is rejected and does not disturb the first', async () => {
  await ensureRunning()
  const second = svc(['dev'], { SVC_DATA_DIR: folder, PORT: '0' })
  expect(await second.exited).toBe(1)
  expect(second.output()).toMatch(/svc: The data folder .* is in use by another Svc process \(pid \d+\)/)
  // It has opened no chain of the first, and left the addresses of the first one's nodes.
  expect(second.output()).not.toContain('chains')
  const verify = svc(['verify', '--chains'], { SVC_DATA_DIR: folder })
  expect(await verify.exited).toBe(0)
  expect(verify.output()).toMatch(/BASE[\s\S]*SOLANA|SOLANA[\s\S]*BASE/)
  expect(await organizations()).toBe(200)
})

test('the commands work beside a running service: a new key is accepted, and verify succeeds', async () => {
  await ensureRunning()
  const settings = { SVC_DATA_DIR: folder }
  const keys = svc(['keys', 'create', 'From the terminal'], settings)
  expect(await keys.exited).toBe(0)
  expect(keys.output()).toMatch(/^svc_test_[\w-]{43}\n$/)
  const { baseUrl } = await readDevEnv(folder)
  const answer = await fetch(`${baseUrl}/api-keys`, { headers: { authorization: `Bearer ${keys.output().trim()}` } })
  expect(await answer.json()).toMatchObject({ apiKeys: [{ name: 'From the terminal' }, { name: 'Local development' }] })
  const verify = svc(['verify'], settings)
  expect(await verify.exited).toBe(0)
  expect(verify.output()).toMatch(/ok +processes own nothing/)
})

test('the commands of the README and of the quickstart work as they are printed', async () => {
  await ensureRunning()
  await symlink(folder, path.join(reader, '.svc'))
  const [payment, tour] = await Promise.all([followPage('README.md'), followPage('docs/quickstart.md')])
  expect(payment).toBe((await readBlocks('README.md', '')).at(-1))
  expect([...tour.matchAll(/"error":"(\w+)"/g)].map(([, code]) => code)).toEqual(['BAD_REQUEST'])
  for (const said of ['NEEDS_ADDITIONAL_INFORMATION', 'COMPLETED', '"runStatus":"EXECUTED"', 'VALID deposit.created'])
    expect(tour).toContain(said)
  // The second tour acts anew: it replays no answer of the first, whose quotes have expired.
  const { baseUrl, apiKey } = await readDevEnv(folder)
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  await fetch(`${baseUrl}/sandbox/clock`, { method: 'POST', headers, body: '{"advance":"PT1H"}' })
  const [again, secondTour] = await Promise.all([followPage('README.md'), followPage('docs/quickstart.md')])
  expect(again).toBe(payment)
  expect([...secondTour.matchAll(/"error":"(\w+)"/g)].map(([, code]) => code)).toEqual(['BAD_REQUEST'])
  expect(secondTour).not.toContain('idempotent-replayed')
  // One condition that PostgreSQL refuses would make every job poll by itself, unnoticed but for this line.
  expect((await ensureRunning()).output()).not.toContain('find due work')
})

test('after kill -9 of all processes the next start recovers', async () => {
  const first = await ensureRunning()
  const [main = 0] = childrenOf(first.child.pid ?? 0)
  process.kill(main, 'SIGKILL')
  expect(await awaitEnd()).toBe(137)
  await ensureRunning()
  expect(await organizations()).toBe(200)
})

test('stopping waits for the request in flight', async () => {
  const stopped = await ensureRunning()
  const { baseUrl, apiKey } = await readDevEnv(folder)
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  const answered = new Promise<number | undefined>((resolve, reject) => {
    const slow = request(`${baseUrl}/api-keys`, { method: 'POST', headers }, (incoming) => resolve(incoming.statusCode))
    slow.on('error', reject)
    slow.write('{"name":"Slow",', async () => {
      stopped.child.kill('SIGTERM')
      await stopped.prints(/stopping/)
      slow.end('"scopes":["quotes:read"]}')
    })
  })
  expect(await answered).toBe(201)
  expect(await awaitEnd()).toBe(0)
})

test('when the launcher is killed the service stops by itself', async () => {
  const first = await ensureRunning()
  first.child.kill('SIGKILL')
  await awaitEnd()
  await expect.poll(() => organizations().catch(() => 'gone')).toBe('gone')
  const again = svc(['verify'], { SVC_DATA_DIR: folder })
  expect(await again.exited).toBe(0)
})

test('a start names all bad settings first, and an unknown command lists the commands', async () => {
  const bad = svc(['dev'], { SVC_ENVIRONMENT: 'staging', PORT: 'x' })
  expect(await bad.exited).toBe(1)
  expect(bad.output()).toMatch(/SVC_ENVIRONMENT: must be one of[\s\S]*PORT: must be a whole number/)
  const unknown = svc(['fly'], {})
  expect(await unknown.exited).toBe(2)
  expect(unknown.output()).toMatch(/"svc fly" is no valid command[\s\S]*svc migrate/)
  const incomplete = svc(['payouts', 'resume'], {})
  expect(await incomplete.exited).toBe(2)
  expect(incomplete.output()).toMatch(/svc payouts resume --reason text/)
  expect(incomplete.output()).not.toMatch(/svc migrate|svc payouts settle/)
})
