import pg from 'pg'
import { afterAll, expect, test } from 'vitest'
import { clientConfig } from '../src/db/database.ts'
import { makeDatabase } from './support/runner/database.ts'
import { brokenFiles, rightSpreads, rightStatements } from './support/style/broken-examples.ts'
import { brokenSchemas } from './support/style/broken-schemas.ts'
import { crossTenantStatements } from './support/style/cross-tenant-statements.ts'
import { foreignUsesInFunctions } from './support/style/function-uses.ts'
import { checkImports, type ImportTable, impureRules, purityOf } from './support/style/import-rules.ts'
import { literalSpreads } from './support/style/literal-spreads.ts'
import * as names from './support/style/name-rules.ts'
import * as ownership from './support/style/ownership-rules.ts'
import { crowdedFolders, findCycles, findRoomCycles } from './support/style/room-rules.ts'
import * as schema from './support/style/schema-rules.ts'
import {
  type Exceptions,
  except,
  isTest,
  listRepository,
  readSource,
  readText,
  type SourceFile,
  type Violation,
} from './support/style/source-tree.ts'
import * as sql from './support/style/sql-statements.ts'
import * as style from './support/style/style-rules.ts'
import * as owners from './support/style/table-owners.ts'
import * as words from './support/style/word-rules.ts'

// No capability imports from one to its right in this list.
const capabilities = [
  'organizations',
  'tokens',
  'credentials',
  'customers',
  'screening',
  'verification',
  'reviews',
  'ledger',
  'custody',
  'payment-accounts',
  'quotes',
  'policies',
  'transactions',
  'chains',
  'automation-rules',
  'forms',
]
const upTo = (last: string) => capabilities.slice(0, capabilities.indexOf(last) + 1)
const floor = ['lib', 'catalog', 'db', 'encryption', 'http']
const parts = [...floor, ...capabilities, 'audit', 'events', 'webhooks', 'sandbox', 'adapters', 'config.ts']
const event = 'What must flow to the right travels as an event through the outbox; what comes from outside is a port'

/** Who may import whom. A folder may always import itself; a folder that is not here does not exist. */
const imports: ImportTable = {
  // biome-ignore format: a table is read by column
  layers: {
    lib:                { may: [],                                                    instead: 'lib is the floor: pass in what it needs' },
    catalog:            { may: ['lib'],                                               instead: 'catalog holds facts: let its reader combine them' },
    db:                 { may: ['lib'],                                               instead: 'db knows no capability: pass in what it needs' },
    encryption:         { may: ['lib', 'db'],                                         instead: 'encryption knows keys and places, and no capability' },
    http:               { may: ['lib', 'db'],                                         instead: 'http knows no capability: app.ts passes in what it needs' },
    organizations:      { may: floor,                                                 instead: event },
    tokens:             { may: [...floor, ...upTo('organizations')],                  instead: event },
    credentials:        { may: [...floor, ...upTo('tokens')],                         instead: event },
    customers:          { may: [...floor, ...upTo('credentials')],                    instead: event },
    screening:          { may: floor,                                                 instead: 'screening knows names and lists: pass in who is screened' },
    verification:       { may: [...floor, ...upTo('screening')],                      instead: event },
    reviews:            { may: [...floor, ...upTo('verification')],                   instead: event },
    ledger:             { may: [...floor, ...upTo('reviews')],                        instead: event },
    custody:            { may: [...floor, ...upTo('ledger')],                         instead: event },
    'payment-accounts': { may: [...floor, ...upTo('custody')],                        instead: event },
    quotes:             { may: [...floor, ...upTo('payment-accounts')],               instead: event },
    policies:           { may: [...floor, ...upTo('quotes')],                         instead: event },
    transactions:       { may: [...floor, ...upTo('policies')],                       instead: event },
    chains:             { may: [...floor, ...upTo('transactions')],                   instead: event },
    'automation-rules': { may: [...floor, ...upTo('transactions')],                   instead: event },
    forms:              { may: [...floor, ...upTo('transactions')],                   instead: event },
    audit:              { may: floor,                                                 instead: 'audit shows the log' },
    events:             { may: [...floor, 'organizations'],                           instead: 'events shows the outbox' },
    webhooks:           { may: [...floor, 'organizations'],                           instead: 'webhooks reads only the outbox' },
    signer:             { may: ['lib', 'catalog', 'db', 'encryption'],                instead: 'the signer knows the ledger and the pool, and nothing that a stranger wrote' },
    sandbox:            { may: [...floor, ...capabilities, 'webhooks'],               instead: 'app.ts joins the sandbox with the rest' },
    adapters:           { may: ['lib', 'catalog', 'db', ...capabilities, 'webhooks'], instead: 'an adapter knows a port and the outside world' },
    'config.ts':        { may: ['lib', 'catalog'],                                    instead: 'config.ts only reads settings' },
    wiring:             { may: parts,                                                 instead: 'wiring is joined by app.ts, never the other way round' },
    'app.ts':           { may: [...parts, 'wiring'],                                  instead: 'app.ts is started by commands, never the other way round' },
    commands:           { may: [...parts, 'wiring', 'app.ts', 'signer'],              instead: 'main.ts is imported by no file' },
    'main.ts':          { may: [...parts, 'app.ts', 'commands'],                      instead: 'main.ts starts what is in src' },
  },
  // Routes and jobs call the service; the service calls the rules and the store.
  // biome-ignore format: a table is read by column
  insideCapability: {
    'store.ts':   { may: ['lib', 'catalog', 'db', 'pure', 'store.ts'],                                 instead: 'a store holds statements: let service.ts decide and pass the values in' },
    'service.ts': { may: ['lib', 'catalog', 'db', 'encryption', 'pure', 'store.ts', 'wire.ts', 'service.ts'],        instead: 'a service knows no door: let routes.ts and jobs.ts call it' },
    'wire.ts':    { may: ['lib', 'catalog', 'http', 'pure', 'wire.ts', 'service.ts'],                  instead: 'wire.ts turns values into JSON and back' },
    'routes.ts':  { may: ['lib', 'catalog', 'http', 'pure', 'wire.ts', 'service.ts', 'routes.ts'],     instead: 'a door is thin: ask service.ts' },
    'jobs.ts':    { may: ['lib', 'catalog', 'db', 'pure', 'wire.ts', 'service.ts', 'jobs.ts'],         instead: 'a door is thin: ask service.ts' },
  },
  capabilities: [...capabilities, 'audit', 'events', 'webhooks', 'signer'],
  pureModules: ['crypto', 'buffer', 'util', 'url', 'path', 'string_decoder'].map((name) => `node:${name}`),
  ioPackages: ['pg', 'fastify', 'pino', 'prom-client', 'undici'],
}

/** Exceptions to the rules, each with its reason. An entry that is no longer needed fails as well. */
const exceptions = {
  longFiles: {
    'test/architecture.test.ts': 'tables in which every part of the service has its line',
    'src/lib/money.test.ts': 'tables of examples, one line each, and the properties of the same functions',
    'test/contracts/prism.test.ts': 'one story for each part, and what every operation refuses',
    'src/quotes/wire.ts': 'every shape of a quote, an estimate and a rate that a caller sends or sees',
    'src/transactions/wire.ts': 'every shape of a transaction that a caller sends or sees',
  },
  defaultExports: { 'test/support/runner/closing-line.ts': 'vitest loads a reporter by its path this way' },
  environment: {
    'src/db/embedded/database-user.ts': 'programs we start need the PATH; everything else is kept from them',
  },
  leftovers: {
    'src/lib/transitions.test.ts @ts-expect-error': 'the test is that these lines do not compile',
    'test/support/browser/browser.ts .skip(': 'a machine may have no browser; the closing lines of the run say so',
  },
  /** Quoted texts of others, as `path phrase`. */
  words: {} as Exceptions,
  clock: {
    'src/lib/ids.ts': 'an id follows real time even while business time stands still',
    'web/forms/pay/pay.ts': 'counts down by the clock of the payer',
    'web/forms/pay/follow.ts': 'measures by the clock of the payer how long the server has been silent',
  },
  tenantFilter: crossTenantStatements,
} satisfies Record<string, Exceptions>

const database = await makeDatabase()
const client = new pg.Client(clientConfig({ connection: database.owner }))
await client.connect()
afterAll(() => client.end())
const tenantTables = await schema.readTenantTables(client)

type Rule = { check(files: readonly SourceFile[]): Violation[]; except?: Exceptions }
const inSrc = (files: readonly SourceFile[]) => files.filter(({ path }) => path.startsWith('src/'))
const shipped = (files: readonly SourceFile[]) => inSrc(files).filter((file) => !isTest(file))
const workQueue = (files: readonly SourceFile[]) => files.filter(({ path }) => path === 'src/db/work.ts')

const sourceRules: Record<string, Rule> = {
  'imports follow the table': { check: (files) => checkImports(inSrc(files), imports) },
  'no imports form a cycle': { check: (files) => findCycles(inSrc(files)) },
  'the rooms of a capability use each other one way': { check: (files) => findRoomCycles(inSrc(files)) },
  'a folder has few enough files to survey': { check: crowdedFolders },
  'only config.ts and main.ts read the environment': { check: style.environmentReads, except: exceptions.environment },
  'SQL lives in stores and in db': { check: (files) => sql.misplacedSql(shipped(files), imports.capabilities) },
  'SQL is lower case and names its columns': { check: (files) => sql.sqlStyle(shipped(files)) },
  'every statement on tenant data names the organization': {
    check: (files) => sql.missingTenantFilter(shipped(files), tenantTables),
    except: exceptions.tenantFilter,
  },
  'a capability writes only its own tables': {
    check: (files) => ownership.foreignUsesInSource(shipped(files), ['writes']),
    except: owners.foreignWrites,
  },
  'a read of another capability’s table has a reason': {
    check: (files) => ownership.foreignUsesInSource(shipped(files), ['reads', 'calls']),
    except: owners.foreignReads,
  },
  'no file has 400 lines': { check: style.filesOver(399, 'split it by what its parts are about') },
  'a file over 300 lines has a reason': {
    check: style.filesOver(300, 'split it, or give a reason in test/architecture.test.ts'),
    except: exceptions.longFiles,
  },
  'the work queue stays small': {
    check: (files) => style.filesOver(200, 'keep to claim, lease, fence')(workQueue(files)),
  },
  'functions fit a screen': { check: style.longFunctions },
  'nothing is exported as default': { check: style.defaultExports, except: exceptions.defaultExports },
  'no file only re-exports': { check: style.barrelFiles },
  'names say what a thing does': { check: style.emptyNames },
  'a database transaction is called tx': { check: names.databaseTransactionNames },
  'a factory is called createX': { check: names.factoryNames },
  'a service is built from its deps': { check: names.serviceFactories },
  'no debugging leftovers remain': { check: style.leftovers, except: exceptions.leftovers },
  'no JS number holds money': { check: style.moneyAsNumber },
  'only main.ts and commands print': { check: style.consoleCalls },
  'state tables and tables of examples belong to pure files': { check: (files) => impureRules(inSrc(files), imports) },
  'pure files read no clock': {
    check: (files) => style.clockReads(purityOf(files, imports))(files),
    except: exceptions.clock,
  },
  'randomness is strong': { check: style.randomNumbers },
  'tests wait patiently': { check: style.hastyWaits },
}

/** Rules for every file with code: the benchmarks and the scripts as well. */
const programRules: Record<string, Rule> = {
  'no literal is spread to pack lines': { check: literalSpreads },
}

const repositoryRules: Record<string, Rule> = {
  'no file names a folder of a developer’s machine': { check: style.machinePaths },
  'no file names the tool it was written with': { check: style.toolNames },
  'a text names who acts, in the words of the glossary': {
    check: words.forbiddenWords,
    except: exceptions.words,
  },
  'a comment begins with what a thing does or is': { check: words.riddleOpenings },
}

const repository = listRepository().flatMap((path) => {
  const text = readText(path)
  return text === undefined ? [] : [{ path, text, code: '', comments: '', strings: [] }]
})
const programs = repository
  .filter(({ path }) => /^(?:src|test|bench|scripts|web)\/.*\.(?:tsx?|mjs)$/.test(path))
  .map(({ path, text }) => readSource(path, text))
const sources = programs.filter(({ path }) => /^(?:src|test|web)\/.*\.tsx?$/.test(path))

test.each([
  ...Object.entries(sourceRules).map(([name, rule]) => [name, rule, sources] as const),
  ...Object.entries(programRules).map(([name, rule]) => [name, rule, programs] as const),
  ...Object.entries(repositoryRules).map(([name, rule]) => [name, rule, repository] as const),
])('%s', (_name, rule, files) => {
  expect(files.length).toBeGreaterThan(50)
  const lines = except(rule.check(files), rule.except ?? {}).map(
    (each) => `  ${each.path}:${each.line} ${each.problem}`,
  )
  if (lines.length > 0) expect.fail(`\n${lines.join('\n')}\n`)
})

test('the source reader finds both ends of every bracket', () => {
  for (const { path, code } of sources) {
    const count = (bracket: string) => code.split(bracket).length
    expect([path, count('{'), count('('), count('[')]).toEqual([path, count('}'), count(')'), count(']')])
  }
})

test.each(Object.entries(brokenFiles))('%s: each example that breaks it is caught', (name, examples) => {
  const rule = sourceRules[name] ?? programRules[name] ?? repositoryRules[name]
  for (const [path, text, ...beside] of examples) {
    const files = [[path, text] as const, ...beside].map((each) => readSource(...each))
    const found = rule?.check(files).filter((each) => beside.length === 0 || each.path === path)
    expect(found, `${path} with: ${text}`).toMatchObject([{ path }])
  }
})

test('two files that import each other are caught', () => {
  const files = [readSource('src/lib/a.ts', `import './b.ts'`), readSource('src/lib/b.ts', `import './a.ts'`)]
  expect(findCycles(files)).toMatchObject([
    { problem: expect.stringContaining('lib/a.ts -> src/lib/b.ts -> src/lib/a.ts') },
  ])
})

test('two rooms that import each other are caught; a room and the files around it are not', () => {
  const files = [
    readSource('src/transactions/payouts/a.ts', `import '../deposits/b.ts'\nimport '../service.ts'`),
    readSource('src/transactions/deposits/b.ts', `import type { C } from '../payouts/c.ts'`),
    readSource('src/transactions/service.ts', `import './payouts/a.ts'`),
  ]
  expect(findRoomCycles(files)).toMatchObject([{ path: files[0]?.path }, { path: files[1]?.path }])
  expect(findRoomCycles([files[0]!, files[2]!])).toEqual([])
})

test('a file is pure when its imports lead to nothing that does I/O, under any name', () => {
  const files = [
    readSource('src/quotes/sum.ts', `import { parse } from '../lib/money.ts'`),
    readSource('src/quotes/sum.test.ts', `import pg from 'pg'`),
    readSource('src/quotes/total.ts', `import { sum } from './sum.ts'`),
    readSource('src/quotes/fetch.ts', `import { find } from './store.ts'`),
    readSource('src/quotes/ask.ts', `import { fetch } from './fetch.ts'`),
    readSource('src/quotes/read.ts', `import { readFile } from 'node:fs/promises'`),
  ]
  const isPure = purityOf(files, imports)
  expect(files.filter(isPure).map(({ path }) => path)).toEqual(['src/quotes/sum.ts', 'src/quotes/total.ts'])
  const tested = [...files, readSource('src/quotes/ask.test.ts', '')]
  expect(impureRules(tested, imports)).toMatchObject([{ path: 'src/quotes/ask.ts' }])
})

test.each(rightStatements)('a statement may say: %s', (text) => {
  const file = readSource('src/organizations/store.ts', `query(\`${text}\`)`)
  expect([...sql.sqlStyle([file]), ...sql.missingTenantFilter([file], tenantTables)]).toEqual([])
})

test.each(rightSpreads)('a spread may say: %s', (text) => {
  expect(literalSpreads([readSource('src/lib/a.ts', text)])).toEqual([])
})

test('an unneeded exception is reported', () => {
  expect(except([], { 'src/lib/a.ts': 'once upon a time' })).toMatchObject([{ path: 'src/lib/a.ts' }])
})

const schemaRules: Record<string, () => Promise<string[]>> = {
  'a table is a tenant’s or the platform’s': () => schema.undecidedTables(client, owners.platformTables),
  'keys of tenant tables start with the organization': () => schema.keysWithoutTenant(client),
  'tenant tables have no triggers': () => schema.triggers(client),
  'processes own nothing and cannot rewrite history': () => schema.processPowers(client, owners.appendOnlyTables),
  'every table and SQL function has one owner': () => ownership.ownerless(client, Object.keys(imports.layers)),
  'SQL functions use only tables and functions of their owner, or give a reason': () =>
    ownership.foreignUsesInFunctions(client, foreignUsesInFunctions),
}

test.each(Object.entries(schemaRules))('%s', async (_name, findProblems) => {
  expect(tenantTables).toContain('api_keys')
  expect(await findProblems()).toEqual([])
})

test.each(Object.entries(brokenSchemas).flatMap(([name, all]) => all.map((statement) => [name, statement] as const)))(
  '%s: "%s" is caught',
  async (name, statement) => {
    const before = await schemaRules[name]?.()
    await client.query('begin')
    try {
      await client.query(statement)
      expect((await schemaRules[name]?.())?.length).toBeGreaterThan(before?.length ?? 0)
    } finally {
      await client.query('rollback')
    }
  },
)

test('every rule has an example that breaks it', () => {
  expect(Object.keys(brokenFiles)).toEqual(Object.keys({ ...sourceRules, ...programRules, ...repositoryRules }))
  expect(Object.keys(brokenSchemas)).toEqual(Object.keys(schemaRules))
})
