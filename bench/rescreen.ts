import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type App, buildApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { locateDatabase } from '../src/db/locate.ts'
import { migrate } from '../src/db/migrate.ts'
import { createLogger } from '../src/http/log.ts'
import { insertServedCustomers } from '../test/support/customers/many-customers.ts'

/** Measures the re-screening of all customers against a new list: `npm run bench -- rescreen [customers] [entries]`. */
const [customers = 10_000, entries = 20_000] = process.argv.slice(2).map(Number)

// A seeded generator: every run measures the same work.
let state = 20_251_121
const random = (below: number) => {
  state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
  return Math.floor((state / 2 ** 32) * below)
}
const syllables =
  'ba be bi bo da de di do fa ga go ha hi ka ki ko la le li lo ma me mi mo na ni no pa ra ri ro sa se ta'
const parts = syllables.split(' ')
const word = () => {
  const text = Array.from({ length: 2 + random(3) }, () => parts[random(parts.length)]).join('')
  return text[0]?.toUpperCase() + text.slice(1)
}
const day = () => `${1940 + random(60)}-0${1 + random(9)}-1${random(9)}`

async function writeList(folder: string): Promise<void> {
  const lines = Array.from({ length: entries }, (_, at) => {
    const name = `${word().toUpperCase()}, ${word()} ${word()}`
    return `${at + 1},"${name}","individual","SDGT",-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,"DOB ${1940 + random(60)}."`
  })
  await writeFile(path.join(folder, 'sdn.csv'), lines.join('\r\n'))
  await writeFile(path.join(folder, 'alt.csv'), '')
}

async function timed(what: string, work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  const seconds = (performance.now() - start) / 1_000
  process.stdout.write(`${what.padEnd(44)} ${seconds.toFixed(1)} s\n`)
  return seconds
}

async function run(app: App, folder: string): Promise<void> {
  const { organizationId } = await app.credentials.createFullKey('Bench')
  const names = Array.from({ length: customers }, () => {
    return { firstName: word(), lastName: word(), dateOfBirth: day() }
  })
  await timed(`${customers} customers`, () => insertServedCustomers(app, organizationId, names))
  await timed(`${entries} entries imported`, () => app.screening.importList(folder, { actor: 'bench' }))
  await timed('list loaded', () => app.screening.load())
  const seconds = await timed(`${customers} customers re-screened, one worker`, async () => {
    while ((await app.rescreening.rescreenDue(50, 30_000)) > 0);
  })
  const [reviews] = await app.database.query<{ count: number }>({
    text: 'select count(*)::int as count from svc.reviews',
  })
  const each = ((seconds / customers) * 1_000).toFixed(2)
  process.stdout.write(`${each} ms per customer, ${reviews?.count} customers with a match\n`)
}

const folder = await mkdtemp(path.join(tmpdir(), 'svc rescreen '))
const config = readConfig({ SVC_DATA_DIR: folder, PORT: '0' }, folder)
const about = {
  databaseUrl: process.env.DATABASE_URL,
  databaseOwnerUrl: undefined,
  databaseSignerUrl: undefined,
  dataFolder: folder,
  mayShare: false,
}
const location = await locateDatabase({ ...about, log: () => {} })
await migrate(location.owner)
const masterKeys = { current: Buffer.alloc(32, 7), previous: [] }
const log = createLogger('error', process.stderr)
const app = await buildApp({ config, version: 'bench', log, masterKeys, database: location.app })
await writeList(folder)
await run(app, folder)
await app.close()
await location.stop()
await rm(folder, { recursive: true })
