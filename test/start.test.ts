import { stat } from 'node:fs/promises'
import { request } from 'node:http'
import { createServer } from 'node:net'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { childrenOf, makeDataFolder, readDevEnv, type Svc, svc } from './support/runner/process.ts'

const ready = /Svc is running in sandbox mode/

async function start(dataFolder: string, settings: Record<string, string> = {}): Promise<Svc> {
  const running = svc(['dev'], { SVC_DATA_DIR: dataFolder, ...settings })
  await running.prints(ready)
  await running.prints(/keeps all data/)
  return running
}

async function stop(running: Svc, signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
  running.child.kill(signal)
  return running.exited
}

async function organizations(dataFolder: string): Promise<number> {
  const { baseUrl, apiKey } = await readDevEnv(dataFolder)
  return (await fetch(`${baseUrl}/organizations`, { headers: { authorization: `Bearer ${apiKey}` } })).status
}

test('the first start prints all a newcomer needs, Ctrl-C keeps the data, and the second start finds it', async () => {
  const folder = await makeDataFolder()
  const first = await start(folder, { PORT: '0' })
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
  expect(await stop(first, 'SIGINT')).toBe(0)

  const second = await start(folder, { PORT: '0' })
  expect((await readDevEnv(folder)).apiKey).toBe(apiKey)
  expect(await organizations(folder)).toBe(200)
  expect(await stop(second)).toBe(0)
})

test('a default port that is taken is left for the next free one, an explicit one is an error', async () => {
  const folder = await makeDataFolder()
  const squatter = createServer().listen(8080, '127.0.0.1')
  onTestFinished(() => void squatter.close())
  // Somebody else's program may hold it already, which serves this test as well.
  await new Promise((resolve) => squatter.once('listening', resolve).once('error', resolve))
  const moved = await start(folder)
  expect(moved.output()).toMatch(/Port 8080 is taken/)
  expect((await readDevEnv(folder)).baseUrl).not.toMatch(/:8080$/)
  expect(await organizations(folder)).toBe(200)
  await stop(moved)

  const refused = svc(['dev'], { SVC_DATA_DIR: folder, PORT: '8080' })
  expect(await refused.exited).toBe(1)
  expect(refused.output()).toMatch(/PORT=8080 is taken/)
})

test('after kill -9 of everything the next start repairs itself', async () => {
  const folder = await makeDataFolder()
  const first = await start(folder, { PORT: '0' })
  const [main = 0] = childrenOf(first.child.pid ?? 0)
  process.kill(main, 'SIGKILL')
  expect(await first.exited).toBe(137)
  const again = await start(folder, { PORT: '0' })
  expect(await organizations(folder)).toBe(200)
  expect(await stop(again)).toBe(0)
})

test('when the launcher is killed the service stops by itself', async () => {
  const folder = await makeDataFolder()
  const first = await start(folder, { PORT: '0' })
  first.child.kill('SIGKILL')
  await expect.poll(() => organizations(folder).catch(() => 'gone'), { timeout: 20_000 }).toBe('gone')
  const again = svc(['verify'], { SVC_DATA_DIR: folder })
  expect(await again.exited).toBe(0)
})

test('a second start on the same data folder is refused and harms nothing', async () => {
  const folder = await makeDataFolder()
  const first = await start(folder, { PORT: '0' })
  const second = svc(['dev'], { SVC_DATA_DIR: folder, PORT: '0' })
  expect(await second.exited).toBe(1)
  expect(second.output()).toMatch(/svc: .*(runs|running|in use|held)/i)
  expect(await organizations(folder)).toBe(200)
  await stop(first)
})

test('the commands work beside a running service: a new key opens it, verify finds nothing wrong', async () => {
  const folder = await makeDataFolder()
  const settings = { SVC_DATA_DIR: folder }
  const running = await start(folder, { PORT: '0' })
  const keys = svc(['keys', 'create', 'From the terminal'], settings)
  expect(await keys.exited).toBe(0)
  expect(keys.output()).toMatch(/^svc_test_[\w-]{43}\n$/)
  const { baseUrl } = await readDevEnv(folder)
  const answer = await fetch(`${baseUrl}/api-keys`, { headers: { authorization: `Bearer ${keys.output().trim()}` } })
  expect(await answer.json()).toMatchObject({ apiKeys: [{ name: 'From the terminal' }, { name: 'Local development' }] })
  const verify = svc(['verify'], settings)
  expect(await verify.exited).toBe(0)
  expect(verify.output()).toMatch(/ok +processes own nothing/)
  await stop(running)
})

test('stopping waits for the request that is under way', async () => {
  const folder = await makeDataFolder()
  const running = await start(folder, { PORT: '0' })
  const { baseUrl, apiKey } = await readDevEnv(folder)
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  const answered = new Promise<number | undefined>((resolve, reject) => {
    const slow = request(`${baseUrl}/api-keys`, { method: 'POST', headers }, (incoming) => resolve(incoming.statusCode))
    slow.on('error', reject)
    slow.write('{"name":"Slow",', async () => {
      running.child.kill('SIGTERM')
      await running.prints(/stopping/)
      slow.end('"scopes":["quotes:read"]}')
    })
  })
  expect(await answered).toBe(201)
  expect(await running.exited).toBe(0)
})

test('bad settings are all named before anything starts, and unknown commands are told what there is', async () => {
  const bad = svc(['dev'], { SVC_ENVIRONMENT: 'staging', PORT: 'x' })
  expect(await bad.exited).toBe(1)
  expect(bad.output()).toMatch(/SVC_ENVIRONMENT: must be one of[\s\S]*PORT: must be a whole number/)
  const unknown = svc(['fly'], {})
  expect(await unknown.exited).toBe(2)
  expect(unknown.output()).toMatch(/There is no "svc fly"[\s\S]*svc migrate/)
})
