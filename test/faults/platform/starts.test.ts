import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import path from 'node:path'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { makeFolder } from '../../support/runner/folder.ts'
import { freePort, makeDataFolder, readDevEnv, type Svc, svc, untilFileEnds } from '../../support/runner/process.ts'
import { makeSelfSignedCertificate } from '../../support/runner/self-signed-certificate.ts'

const { folder, remove } = await makeFolder('svc starts ')
const untilEnd = untilFileEnds()
const settings = { SVC_DATA_DIR: folder, SVC_ADDRESS_POOL_SIZE: '1', PORT: '0' }

/** The tests share one sandbox: a test that needs it running starts it, and leaves it stopped. */
async function start(): Promise<Svc> {
  const running = svc(['dev'], settings, '', untilEnd)
  await running.prints(/keeps all data/)
  return running
}

async function stop(running: Svc, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  running.child.kill(signal)
  expect(await running.exited).toBe(0)
}

let made: Promise<void> | undefined
/** Resolves when the sandbox exists and is stopped. */
function ensureWorld(): Promise<void> {
  made ??= start().then((running) => stop(running))
  return made
}

afterAll(remove)

async function call(method: string, address: string, body?: object): Promise<Record<string, unknown>> {
  const { baseUrl, apiKey } = await readDevEnv(folder)
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  const answer = await fetch(`${baseUrl}${address}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  return (await answer.json()) as Record<string, unknown>
}

test.each(['PORT', 'SVC_METRICS_PORT', 'SVC_SANDBOX_CHAINS_PORT'])(
  'a taken %s is found before anything starts',
  async (setting) => {
    const port = await freePort()
    const squatter = createServer().listen(port, '127.0.0.1')
    onTestFinished(() => void squatter.close())
    const dataFolder = await makeDataFolder()
    const refused = svc(['dev'], { SVC_DATA_DIR: dataFolder, [setting]: String(port) })
    expect(await refused.exited).toBe(1)
    expect(refused.output()).toContain(`${setting}=${port} is in use on 127.0.0.1. Choose another port`)
    expect(await readdir(dataFolder)).toEqual([])
  },
)

test('two settings with one port are found before anything starts', async () => {
  const [dataFolder, port] = [await makeDataFolder(), String(await freePort())]
  const refused = svc(['dev'], { SVC_DATA_DIR: dataFolder, PORT: port, SVC_METRICS_PORT: port })
  expect(await refused.exited).toBe(1)
  expect(refused.output()).toContain(`PORT and SVC_METRICS_PORT are both ${port}. Choose another port for one of them.`)
  expect(await readdir(dataFolder)).toEqual([])
})

test.each([
  { HOST: '192.0.2.1' },
  { HOST: '192.0.2.1', PORT: '18431' },
  { HOST: '127.0.0.1', SVC_METRICS_HOST: '192.0.2.1', SVC_METRICS_PORT: '18432' },
])('the host of another machine is found before anything starts: %j', async (hosts) => {
  const dataFolder = await makeDataFolder()
  const refused = svc(['dev'], { SVC_DATA_DIR: dataFolder, ...hosts })
  expect(await refused.exited).toBe(1)
  const setting = 'SVC_METRICS_HOST' in hosts ? 'SVC_METRICS_HOST' : 'HOST'
  expect(refused.output()).toContain(`svc: ${setting}=192.0.2.1 is no address of this machine. Set ${setting} to`)
  expect(refused.output()).not.toMatch(/another port/)
  expect(await readdir(dataFolder)).toEqual([])
})

test('a second process for the same chains opens nothing, and each withdraws only its own addresses', async () => {
  const dataFolder = await makeDataFolder()
  const file = path.join(dataFolder, 'chains', 'solana-nodes.json')
  const run = () => svc(['chains', '--family', 'solana'], { SVC_DATA_DIR: dataFolder })
  const first = run()
  await first.prints(/the local chains are running/)
  const published = await readFile(file, 'utf8')
  const second = run()
  expect(await second.exited).toBe(1)
  expect(second.output()).toMatch(/The journal of the local solana chains in .* is in use by another Svc process/)
  expect(await readFile(file, 'utf8')).toBe(published)
  await stop(first)
  expect(await readdir(path.dirname(file))).not.toContain('solana-nodes.json')

  const third = run()
  await third.prints(/the local chains are running/)
  await writeFile(file, '{"SOLANA":"http://127.0.0.1:1/of-another"}')
  await stop(third)
  expect(await readFile(file, 'utf8')).toContain('of-another')
})

test('a stop with open streams and requests ends without a warning or an error', async () => {
  const running = await start()
  const { baseUrl, apiKey } = await readDevEnv(folder)
  const headers = { authorization: `Bearer ${apiKey}` }
  const streams = await Promise.all([1, 2, 3].map(() => fetch(`${baseUrl}/events/stream`, { headers })))
  const asked = Array.from({ length: 20 }, () => fetch(`${baseUrl}/organizations`, { headers }).catch(() => undefined))
  await stop(running, 'SIGINT')
  await Promise.all([...asked, ...streams.map((stream) => stream.text().catch(() => ''))])
  expect(running.output()).not.toMatch(/"level":"(warn|error)"|^svc:|^ {4}at /m)
  expect(running.output()).toMatch(/"msg":"stopped"/)
})

test.each([
  // the damage, what the start says
  ['master.key', 'garbage', /master\.key is damaged: it must hold 32 random bytes.*Put its backup back.*svc reset/],
  ['master.key', '', /master\.key is damaged/],
  ['signer/signer.key', 'garbage', /signer\.key is damaged[\s\S]*The signer could not start/],
  ['postgres/data/PG_VERSION', '16', /was created by PostgreSQL 16, but this Svc carries PostgreSQL 18/],
  ['postgres/data/global/pg_control', null, /Its files are damaged: keep a copy, restore a backup/],
] as const)('a start with the damaged file %s (%j) names it', async (name, content, said) => {
  await ensureWorld()
  const file = path.join(folder, name)
  // The good file is moved and not copied: PostgreSQL needs it with its owner.
  await rename(file, `${file}.good`)
  if (content !== null) await writeFile(file, content)
  const refused = svc(['dev'], settings)
  expect(await refused.exited).toBe(1)
  expect(refused.output()).toMatch(said)
  if (name === 'master.key') expect(refused.output()).not.toMatch(/"msg"|svc: .*database/)
  await rename(`${file}.good`, file)
})

test('a key file that is a folder, and a data folder that is a file, are named', async () => {
  const dataFolder = await makeDataFolder()
  const key = path.join(dataFolder, 'key')
  await mkdir(key)
  const unreadable = svc(['dev'], { ...settings, SVC_MASTER_KEY_FILE: key })
  expect(await unreadable.exited).toBe(1)
  expect(unreadable.output()).toContain(`Svc cannot read SVC_MASTER_KEY_FILE (${key}). ${key} is a folder`)

  const file = path.join(dataFolder, 'file')
  await writeFile(file, '')
  for (const place of [file, path.join(file, 'below')]) {
    const refused = svc(['dev'], { SVC_DATA_DIR: place })
    expect(await refused.exited).toBe(1)
    expect(refused.output()).toMatch(/^svc: The data folder .* cannot be used\. .*Move that file away\./)
  }
})

test.each([
  ['SVC_MASTER_KEY_FILE', 'Svc cannot read SVC_MASTER_KEY_FILE'],
  ['SVC_TLS_CERT', 'Svc cannot read SVC_TLS_CERT'],
])('a file of %s that is missing is named before anything starts', async (setting, said) => {
  const dataFolder = await makeDataFolder()
  const file = path.join(dataFolder, 'missing')
  const more = setting === 'SVC_TLS_CERT' ? { SVC_TLS_KEY: file } : {}
  const refused = svc(['dev'], { SVC_DATA_DIR: dataFolder, PORT: '0', [setting]: file, ...more })
  expect(await refused.exited).toBe(1)
  expect(refused.output()).toContain(
    `svc: ${said} (${file}). ${file} does not exist. Put the file there, or correct the setting.`,
  )
  expect(await readdir(dataFolder)).toEqual([])
})

const [pair, other] = [makeSelfSignedCertificate(['localhost']), makeSelfSignedCertificate(['localhost'])]

test.each([
  // the certificate, the key, what the start says
  ['garbage', pair.key, /^svc: SVC_TLS_CERT \(.*cert\.pem\) is damaged\. Write into it the certificate .* PEM/m],
  ['', pair.key, /^svc: SVC_TLS_CERT \(.*cert\.pem\) is damaged/m],
  [pair.cert, 'garbage', /^svc: SVC_TLS_KEY \(.*key\.pem\) is damaged\. Write into it the private key .* PEM/m],
  [pair.cert, other.key, /^svc: SVC_TLS_KEY \(.*key\.pem\) is not the key of SVC_TLS_CERT \(.*cert\.pem\)\. Name /m],
] as const)('a damaged certificate or key of the server is named before anything starts', async (cert, key, said) => {
  const dataFolder = await makeDataFolder()
  const files = await makeDataFolder()
  const [SVC_TLS_CERT, SVC_TLS_KEY] = [path.join(files, 'cert.pem'), path.join(files, 'key.pem')]
  await Promise.all([writeFile(SVC_TLS_CERT, cert), writeFile(SVC_TLS_KEY, key)])
  const refused = svc(['dev'], { SVC_DATA_DIR: dataFolder, PORT: '0', SVC_TLS_CERT, SVC_TLS_KEY })
  expect(await refused.exited).toBe(1)
  expect(refused.output()).toMatch(said)
  expect(await readdir(dataFolder)).toEqual([])
})

test('a start without the master key of its data blames the key alone', async () => {
  await ensureWorld()
  const file = path.join(folder, 'master.key')
  await rename(file, `${file}.good`)
  for (const attempt of [1, 2, 3]) {
    const refused = svc(['dev'], settings)
    expect(await refused.exited, `attempt ${attempt}`).toBe(1)
    const complaints = refused.output().match(/^svc: .*/gm)
    expect(complaints).toEqual([expect.stringMatching(/wrapped with the master key .* master\.key .* backup back/)])
  }
  await rename(`${file}.good`, file)
})

test.each(['SVC_BLOB_DIR', 'SVC_BANK_DIR'])('a %s that is a file is named before anything starts', async (setting) => {
  const dataFolder = await makeDataFolder()
  const file = path.join(dataFolder, 'file')
  await writeFile(file, '')
  const refused = svc(['dev'], { SVC_DATA_DIR: path.join(dataFolder, 'data'), PORT: '0', [setting]: file })
  refused.prints(/keeps all data/).then(
    () => refused.child.kill('SIGTERM'),
    () => {},
  )
  expect(await refused.exited).toBe(1)
  expect(refused.output()).toMatch(
    new RegExp(`^svc: The folder of ${setting} .* cannot be used\\. .*Move that file away`),
  )
  expect(await readdir(dataFolder)).toEqual(['file'])
})

test('a database that does not answer is named with its address and setting', async () => {
  const url = `postgres://svc@127.0.0.1:${await freePort()}/svc`
  const refused = svc(['serve'], { DATABASE_URL: url, SVC_DATA_DIR: await makeDataFolder(), PORT: '0' })
  expect(await refused.exited).toBe(1)
  expect(refused.output()).toMatch(/svc: No database answers at 127\.0\.0\.1:\d+ \(ECONNREFUSED\).*DATABASE_URL/)
})

test('svc reset refuses in production, with DATABASE_URL and without a confirmation', async () => {
  await ensureWorld()
  const elsewhere = { SVC_DATA_DIR: folder, DATABASE_URL: 'postgres://svc@127.0.0.1/svc' }
  const withUrl = svc(['reset', '--yes'], elsewhere)
  expect(await withUrl.exited).toBe(1)
  expect(withUrl.output()).toMatch(/not the database of DATABASE_URL/)
  const production = svc(['reset', '--yes'], {
    ...elsewhere,
    SVC_ENVIRONMENT: 'production',
    SVC_MASTER_KEY: randomBytes(32).toString('base64'),
    SVC_TRUSTED_PROXIES: '10.0.0.0/8',
    SVC_PUBLIC_URL: 'https://pay.example.com',
  })
  expect(await production.exited).toBe(1)
  expect(production.output()).toMatch(/is for the sandbox only/)
  const unconfirmed = svc(['reset'], { SVC_DATA_DIR: folder }, 'yes please\n')
  expect(await unconfirmed.exited).toBe(1)
  expect(unconfirmed.output()).toMatch(/Nothing was deleted/)
  const silent = svc(['reset'], { SVC_DATA_DIR: folder })
  expect(await silent.exited).toBe(1)
  expect(await readdir(folder)).toContain('master.key')
})

test('svc reset deletes nothing in a folder that no sandbox created', async () => {
  const dataFolder = await makeDataFolder()
  for (const name of ['blobs', 'bank']) await mkdir(path.join(dataFolder, name))
  const refused = svc(['reset', '--yes'], { SVC_DATA_DIR: dataFolder })
  expect(await refused.exited).toBe(1)
  expect(refused.output()).toMatch(/holds no sandbox/)
  expect(await readdir(dataFolder)).toEqual(['bank', 'blobs'])
})

test('svc reset refuses while the sandbox runs, and afterwards the next start is a fresh world', async () => {
  const running = await start()
  await call('POST', '/sandbox/clock', { advance: 'P30D' })
  const { apiKey } = await readDevEnv(folder)
  const refused = svc(['reset', '--yes'], { SVC_DATA_DIR: folder })
  expect(await refused.exited).toBe(1)
  expect(refused.output()).toMatch(/is running|in use by another Svc process/)
  expect(await call('GET', '/organizations')).toMatchObject({ organizations: [{}] })
  await stop(running)
  await writeFile(path.join(folder, 'notes.txt'), 'of the user')

  const reset = svc(['reset'], { SVC_DATA_DIR: folder }, 'reset\n')
  expect(await reset.exited).toBe(0)
  expect(await readdir(folder)).toEqual(['notes.txt'])
  const fresh = await start()
  expect((await readDevEnv(folder)).apiKey).not.toBe(apiKey)
  const { now } = await call('GET', '/sandbox/clock')
  expect(Date.parse(String(now)) - Date.now()).toBeLessThan(86_400_000)
  await stop(fresh)
})
