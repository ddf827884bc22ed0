import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { createAudit } from '../../../src/db/audit/audit.ts'
import { type Connection, openDatabase } from '../../../src/db/database.ts'
import { bumpRevision } from '../../../src/db/revisions.ts'
import { createScreeningService } from '../../../src/screening/service.ts'
import { makeDatabase, openForTest } from '../../support/runner/database.ts'
import { eventually } from '../../support/runner/eventually.ts'
import { makeDataFolder, svc } from '../../support/runner/process.ts'
import { makeEntries, seededRandom, toCsv } from '../../support/screening/generated-list.ts'
import { altLine, makeListFolder, sdnLine } from '../../support/screening/watch-list-folder.ts'

async function start() {
  const { app, owner } = await makeDatabase()
  const database = openForTest(app)
  const make = () => createScreeningService({ database, audit: createAudit(Buffer.alloc(32, 1)) })
  const screening = make()
  const load = async (folder: string, isForced = false) => {
    const outcome = await screening.importList(folder, { actor: 'test', isForced })
    await screening.load()
    return outcome
  }
  return { database, owner, screening, make, load }
}

const ada = { kind: 'INDIVIDUAL', name: 'Ada Exemplarova' } as const
const list = [sdnLine(1, 'EXEMPLAROVA, Ada'), sdnLine(2, 'SAMPLE TRADING', '')]
const counts = async ({ database }: Awaited<ReturnType<typeof start>>) =>
  (
    await database.query<{ lists: number; chunks: number; imports: number }>({
      text: `select (select count(*)::int from svc.watch_lists) as lists,
                    (select count(*)::int from svc.watch_list_chunks) as chunks,
                    (select count(*)::int from svc.watch_list_imports) as imports`,
    })
  )[0]

test('screening without a list has no match, and says that there is no list', async () => {
  const { screening } = await start()
  expect(await screening.screen([ada])).toEqual([])
  expect(await screening.screenAddresses([{ chain: 'ETHEREUM', address: `0x${'1'.repeat(40)}` }])).toEqual([])
  expect(await screening.currentVersion()).toBeUndefined()
  expect(await screening.listAge()).toBeNaN()
})

test('an imported list takes effect and is audited; importing the same list again only updates its date', async () => {
  const started = await start()
  const { screening, load, database } = started
  expect(await load(await makeListFolder(list, [altLine(1, 'VORBILDSKAYA, Ada')]))).toMatchObject({
    isNew: true,
    list: { version: 1, entryCount: 2, nameCount: 3, addressCount: 0 },
  })
  expect(
    await screening.screen([
      { ...ada, field: 'name' },
      { kind: 'INDIVIDUAL', name: 'Ada Vorbildskaia' },
    ]),
  ).toMatchObject([
    { listVersion: 1, entryNumber: '1', listedName: 'EXEMPLAROVA, Ada', score: 100, strength: 'match', field: 'name' },
    { entryNumber: '1', listedName: 'VORBILDSKAYA, Ada', strength: 'match' },
  ])
  // The same content in another order of lines, with other line ends.
  expect(await load(await makeListFolder(list.toReversed(), [altLine(1, 'VORBILDSKAYA, Ada')]))).toMatchObject({
    isNew: false,
    list: { version: 1 },
  })
  expect(await counts(started)).toMatchObject({ lists: 1, imports: 2 })
  expect(await screening.listAge()).toBeLessThan(600)
  const acts = await database.query({
    text: `select action, details->>'entryCount' as entries from svc.audit order by at`,
  })
  expect(acts).toEqual([
    { action: 'watch_list.imported', entries: '2' },
    { action: 'watch_list.confirmed', entries: '2' },
  ])
})

test('a list with one wrong line changes nothing, and the error names the line', async () => {
  const started = await start()
  await started.load(await makeListFolder(list))
  const broken = await makeListFolder([...list, sdnLine(3, 'NEW, Name'), '4,"CUT OFF'])
  await expect(started.load(broken)).rejects.toThrow('sdn.csv line 4: is not a line of CSV. Nothing was imported.')
  const strangers = await makeListFolder(list, [altLine(1, 'FINE, Name'), altLine(77, 'OTHER, List')])
  await expect(started.load(strangers)).rejects.toThrow('alt.csv line 2: is about entry 77')
  expect(await counts(started)).toEqual({ lists: 1, chunks: 1, imports: 1 })
  expect(await started.screening.currentVersion()).toBe(1)
})

test('a list that lost more than half of its entries is rejected unless the operator confirms', async () => {
  const { load, screening } = await start()
  const people = Array.from({ length: 9 }, (_, at) => sdnLine(at + 1, `PERSONOVA${'abcdefghi'[at]}, Ada`))
  await load(await makeListFolder(people))
  const short = await makeListFolder(people.slice(0, 4))
  await expect(load(short)).rejects.toThrow('4 entries instead of 9. To import it all the same, use --force')
  await expect(load(await makeListFolder([]))).rejects.toThrow('has no entries')
  expect(await screening.currentVersion()).toBe(1)
  expect(await load(short, true)).toMatchObject({ isNew: true, list: { version: 2, entryCount: 4 } })
  expect(await load(await makeListFolder(people.slice(0, 2)))).toMatchObject({ list: { version: 3 } })
})

test('a folder without the alternate names is rejected; names in Latin-1 are read', async () => {
  const { load, screening } = await start()
  const folder = await makeListFolder([])
  await writeFile(path.join(folder, 'SDN.CSV'), Buffer.from(sdnLine(1, 'QUERALTÓ MUÑIZ, José'), 'latin1'))
  await load(folder)
  expect(await screening.screen([{ kind: 'INDIVIDUAL', name: 'José Queraltó Muñiz' }])).toMatchObject([
    { listedName: 'QUERALTÓ MUÑIZ, José', score: 100 },
  ])
  await expect(load(await makeDataFolder())).rejects.toThrow(/There is no known list .* ofac-sdn \(sdn.csv and alt.csv/)
})

test('concurrent imports create one version each, in sequence', async () => {
  const { screening } = await start()
  const folders = await Promise.all(
    ['A', 'B', 'C', 'D'].map((letter) => makeListFolder([sdnLine(1, `${letter}NAME, Ada`)])),
  )
  const outcomes = await Promise.all(folders.map((folder) => screening.importList(folder, { actor: 'test' })))
  expect(outcomes.every(({ isNew }) => isNew)).toBe(true)
  expect(await screening.show()).toMatchObject([{ list: 'ofac-sdn', version: 4 }])
})

test('versions share unchanged entries', async () => {
  const started = await start()
  const people = Array.from({ length: 5_000 }, (_, at) => sdnLine(at + 1, `PERSON ${at}, Ada`))
  await started.load(await makeListFolder(people))
  expect(await counts(started)).toMatchObject({ chunks: 6 })
  await started.load(await makeListFolder([...people.slice(0, -1), sdnLine(5_000, 'CHANGED, Ada')]))
  expect(await counts(started)).toMatchObject({ lists: 2, chunks: 7 })
})

test('letter case is ignored in EVM addresses and significant in others', async () => {
  const { load, screening } = await start()
  const evm = `0x${'aBcD'.repeat(10)}`
  const solana = 'So1anaAddressOfAPersonXWhoIsListedXXXXXXXXXX'
  const remarks = `Digital Currency Address - ETH ${evm}; alt. Digital Currency Address - SOL ${solana}`
  await load(await makeListFolder([sdnLine(9, 'MIXER', '', remarks)]))
  const ask = (chain: string, address: string) => screening.screenAddresses([{ chain, address }])
  expect(await ask('BASE', evm.toLowerCase())).toEqual([
    {
      list: 'ofac-sdn',
      listVersion: 1,
      programs: ['SDGT'],
      entryNumber: '9',
      listedName: 'MIXER',
      listedCurrency: 'ETH',
      chain: 'BASE',
      address: evm.toLowerCase(),
    },
  ])
  expect(await ask('SOLANA', solana)).toMatchObject([{ listedCurrency: 'SOL' }])
  expect(await ask('SOLANA', solana.toLowerCase())).toEqual([])
})

test('a list that was altered in the database is not used', async () => {
  const { load, make, owner } = await start()
  await load(await makeListFolder(list))
  const client = openForTest({ connection: owner })
  await client.query({ text: `update svc.watch_list_chunks set chunk_hash = '\\x00'` })
  await client.query({ text: `update svc.watch_lists set chunk_hashes = array['\\x00'::bytea]` })
  await expect(make().screen([ada])).rejects.toThrow('was altered')
})

test('a screening that cannot read the list throws instead of finding no match', async () => {
  const away = openDatabase({ connection: { host: '127.0.0.1', port: 1, user: 'none', database: 'none' } })
  const screening = createScreeningService({ database: away, audit: createAudit(Buffer.alloc(32, 1)) })
  await expect(screening.screen([ada])).rejects.toThrow()
  await expect(screening.currentVersion()).rejects.toThrow()
  await away.close()
})

test('loading 20,000 entries does not block the event loop', { timeout: 180_000 }, async () => {
  const { make, screening, database } = await start()
  const files = toCsv(makeEntries(seededRandom(1), 20_000))
  await screening.importList(await makeListFolder(files['sdn.csv'].split('\r\n'), files['alt.csv'].split('\r\n')), {
    actor: 'test',
  })
  await database.inTx((tx) => bumpRevision(tx, 'watch list'))
  const other = make()
  // The time of the processor, which other processes do not take.
  const spentMs = () => process.threadCpuUsage().user / 1_000
  const began = spentMs()
  let [last, longest] = [began, 0]
  const look = () => {
    longest = Math.max(longest, spentMs() - last)
    last = spentMs()
  }
  const looking = setInterval(look, 1)
  await other.load()
  clearInterval(looking)
  look()
  // Built in one piece, the index alone would block for most of the time.
  expect(longest / (spentMs() - began)).toBeLessThan(0.25)
  expect(await other.currentVersion()).toBe(1)
})

function urlOf(connection: Connection): string {
  if ('url' in connection) return connection.url
  const { host, port, user, database } = connection
  return `postgres://${user}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`
}

test('the command imports and shows a list, and a running process switches to it', async () => {
  const database = await makeDatabase()
  const settings = { DATABASE_URL: urlOf(database.owner), SVC_DATA_DIR: await makeDataFolder() }
  const none = svc(['watchlist', 'show'], settings)
  expect(await none.exited).toBe(1)
  expect(none.output()).toMatch(/no customer is screened/)
  const worker = svc(['worker'], settings)
  await worker.prints(/the worker is running/)
  const done = svc(['watchlist', 'import', await makeListFolder(list)], settings)
  expect(await done.exited, done.output()).toBe(0)
  expect(done.output()).toMatch(
    /^ofac-sdn imported as version 1 in [\d.]+ s: 2 entries, 2 names, 0 addresses, 0 document numbers\.\n/,
  )
  await worker.prints(/"list":"ofac-sdn","version":1,"entries":2,"msg":"a watch list is loaded"/)
  const shown = svc(['watchlist', 'show'], settings)
  expect(await shown.exited).toBe(0)
  expect(shown.output()).toMatch(/^ofac-sdn version 1: 2 entries.*; last imported .*, 0\.0 hours ago\n$/)
  const broken = svc(['watchlist', 'import', await makeListFolder(['nonsense'])], settings)
  expect(await broken.exited).toBe(1)
  expect(broken.output()).toMatch(/sdn\.csv line 1/)
  expect(await svc(['watchlist', 'fly'], settings).exited).toBe(2)
  await eventually(() => expect(worker.child.exitCode).toBeNull())
})
