type Example = readonly [path: string, text: string]

/** A small file that breaks a rule once, on its own or with the files beside it; or a folder that they break it in. */
export type BrokenFile = readonly [...Example, ...beside: Example[]]

const lines = (count: number) => '  go()\n'.repeat(count)
const folder = (...names: string[]) => ['', ...names].join('/')
const sqlFile = 'src/organizations/store.ts'

/** Examples that each rule of the architecture test must catch, so that no rule silently stops working. */
// biome-ignore format: a table is read by column
export const brokenFiles: Record<string, readonly BrokenFile[]> = {
  'imports follow the table': [
    ['src/lib/a.ts',              `import { b } from '../db/b.ts'`],
    ['src/lib/a.ts',              `export { b } from '../db/b.ts'`],
    ['src/lib/a.ts',              `const b = await import('../db/b.ts')`],
    ['src/lib/a.ts',              `const b = await import(place)`],
    ['src/lib/a.ts',              `import '../../test/support/b.ts'`],
    ['src/lib/a.ts',              `import { connect } from 'node:net'`],
    ['src/catalog/a.ts',          `import type { B } from '../db/b.ts'`],
    ['src/db/a.ts',               `import { b } from '../http/b.ts'`],
    ['src/http/a.ts',             `import {\n  b,\n} from '../customers/b.ts'`],
    ['src/http/a.ts',             `import type { Config } from '../config.ts'`],
    ['src/quotes/service.ts',     `import { b } from '../transactions/service.ts'`],
    ['src/webhooks/service.ts',   `import { b } from '../customers/service.ts'`],
    ['src/customers/service.ts',  `import { b } from '../adapters/b.ts'`],
    ['src/customers/service.ts',  `import { b } from '../webhooks/b.ts'`],
    ['src/customers/service.ts',  `import { b } from '../http/b.ts'`],
    ['src/customers/service.ts',  `import { b } from './routes.ts'`],
    ['src/customers/store.ts',    `import { b } from './service.ts'`],
    ['src/customers/store.ts',    `import { b } from '../organizations/store.ts'`],
    ['src/customers/routes.ts',   `import { b } from './store.ts'`],
    ['src/customers/routes.ts',   `import { b } from '../db/b.ts'`],
    ['src/customers/jobs.ts',     `import { b } from './store.ts'`],
    ['src/customers/customer.ts', `import { oneOf } from '../http/wire.ts'`],
    ['src/customers/customer.ts', `import { b } from './routes.ts'`],
    ['src/catalog/a.ts',          `import { readFile } from 'node:fs/promises'`],
    ['src/customers/customer.ts', `import pg from 'pg'`],
    ['src/sandbox/a.ts',          `import { b } from '../adapters/b.ts'`],
    ['src/adapters/bank/a.ts',    `import { port } from '../../ledger/port.ts'`],
    ['src/adapters/bank/a.ts',    `import type { B } from '../../ledger/store.ts'`],
    ['src/app.ts',                `import { b } from './commands/b.ts'`],
    ['src/wiring/a.ts',           `import { b } from '../signer/seed.ts'`],
    ['src/signer/service.ts',     `import { b } from '../customers/service.ts'`],
    ['src/signer/service.ts',     `import { b } from '../http/log.ts'`],
    ['src/commands/a.ts',         `import '../main.ts'`],
    ['src/payments/a.ts',         ''],
    ['src/stray.ts',              ''],
  ],
  'no imports form a cycle': [
    ['src/lib/a.ts', `import { b } from './a.ts'`],
  ],
  'the rooms of a capability use each other one way': [
    ['src/quotes/a/b.ts', `import '../c/d.ts'`, ['src/quotes/c/e.ts', `import type { B } from '../a/b.ts'`]],
  ],
  'a folder has few enough files to survey': [
    ['src/quotes', '', ...Array.from({ length: 18 }, (_, at) => [`src/quotes/a${at}.ts`, ''] as const)],
  ],
  'only config.ts and main.ts read the environment': [
    ['src/db/a.ts', 'const path = process.env.PATH'],
    ['src/db/a.ts', 'const { env } = process'],
  ],
  'SQL lives in stores and in db': [
    ['src/organizations/service.ts', 'query({ text: `select pg_sleep(1)` })'],
    ['src/sandbox/store.ts',         `query({ text: 'delete from svc.clock' })`],
  ],
  'SQL is lower case and names its columns': [
    [sqlFile, `query('SELECT name FROM svc.clock')`],
    [sqlFile, `query('select * from svc.clock')`],
  ],
  'every statement on tenant data names the organization': [
    [sqlFile,                     `query('select name from svc.api_keys')`],
    [sqlFile,                     `query('select name from svc.api_keys where api_key_id = $1')`],
    [sqlFile,                     `query('select name from svc.api_keys where api_key_id = $1 and organization_id = $2')`],
    [sqlFile,                     `query('update svc.api_keys set name = $2 where api_key_id = $1')`],
    [sqlFile,                     `query('delete from svc.api_keys')`],
    [sqlFile,                     `query('insert into svc.api_keys (api_key_id, name) values ($1, $2)')`],
    [sqlFile,                     `query('insert into svc.api_keys values ($1, $2)')`],
    [sqlFile,                     `query('select a.name from svc.api_keys a join svc.organizations o on o.name = a.name where a.organization_id = $1')`],
    [sqlFile,                     `query('select a.name from svc.api_keys a, svc.organizations o where a.organization_id = $1')`],
    [sqlFile,                     `query(\`select name from svc.api_keys where \${filter}\`)`],
    [sqlFile,                     `query(\`select name from \${table} where organization_id = $1\`)`],
    [sqlFile,                     'query(`select name from svc.api_keys -- where organization_id = $1`)'],
    ['src/organizations/jobs.ts', `const work = { table: 'svc.api_keys', key: ['api_key_id'] }`],
  ],
  'a capability writes only its own tables': [
    ['src/quotes/store.ts',           `query('insert into svc.customers (name) values ($1)')`],
    ['src/quotes/store.ts',           `query('update only svc.customers as c set name = $1')`],
    ['src/quotes/store.ts',           `query('delete from svc.customers')`],
    ['src/quotes/store.ts',           `query('truncate svc.quotes, svc.customers')`],
    ['src/quotes/store.ts',           `query('merge into svc.customers using mine on true when matched then delete')`],
    ['src/quotes/store.ts',           'query(`with gone as (delete from "svc"."customers" returning name) select name from gone`)'],
    ['src/quotes/store.ts',           'const fragment = `, told as (\n insert into svc.events (type) select type from made)`'],
    ['src/quotes/rates/jobs.ts',      `const work: WorkTable = { table: 'svc.payouts', key: ['organization_id'] }`],
    ['src/db/deployment.ts',          `query('update svc.organizations set name = $1')`],
  ],
  'a read of another capability’s table has a reason': [
    ['src/organizations/store.ts',    `query('select name from svc.customers where organization_id = $1 for update')`],
    ['src/organizations/store.ts',    `query('select name from svc.organizations join svc.customers using (organization_id)')`],
    ['src/organizations/store.ts',    `query('update svc.organizations as o set name = c.name from svc.customers as c')`],
    ['src/organizations/store.ts',    `query('select outcome from svc.post($1)')`],
  ],
  'no file has 400 lines': [
    ['src/lib/a.ts', lines(400)],
  ],
  'a file over 300 lines has a reason': [
    ['test/a.test.ts', lines(301)],
  ],
  'the work queue stays small': [
    ['src/db/work.ts', lines(201)],
  ],
  'functions fit a screen': [
    ['src/lib/a.ts', `export function a(b: string): { c: string } {\n${lines(70)}}`],
    ['src/lib/a.ts', `export const a = async () => {\n${lines(70)}}`],
    ['web/forms/a.tsx', `export function A({ b }: Props) {\n  return <p>{b ? <br /> : '}'}</p>\n${lines(70)}}`],
    ['src/lib/a.ts', `class A {\n  async b<C>(d: C): Promise<{ e: C }> {\n${lines(70)}  }\n}`],
  ],
  'nothing is exported as default': [
    ['src/lib/a.ts', 'export default 1'],
  ],
  'no file only re-exports': [
    ['src/lib/a.ts', `/** All. */\nexport * from './b.ts'\nexport { c } from './c.ts'`],
  ],
  'names say what a thing does': [
    ['src/lib/text-utils.ts', 'export const a = 1'],
    ['src/lib/a.ts',          'export class QuoteManager {}'],
    ['src/lib/a.ts',          'export { a as feeHelper }'],
  ],
  'a database transaction is called tx': [
    ['src/quotes/store.ts', 'export function insertQuote(transaction: Queryable, quote: Quote) {}'],
    ['src/quotes/store.ts', 'export function insertQuote(transaction: Tx, quote: Quote) {}'],
    ['src/quotes/store.ts', 'export function insertQuote(tx: Queryable, quote: Quote) {}'],
    ['src/quotes/store.ts', 'type Insert = (inner: Tx) => Promise<void>'],
    ['src/quotes/store.ts', 'await transaction.query({ text })'],
    ['test/a.test.ts',      'await database.inTx(async (transaction) => insertQuote(transaction))'],
    ['test/a.test.ts',      'await database.inTx((transaction) => insertQuote(transaction))'],
    ['test/a.test.ts',      'await database.transaction(async (tx) => insertQuote(tx))'],
  ],
  'a factory is called createX': [
    ['src/quotes/service.ts', 'export function makeQuoteService(options: QuoteOptions) {}'],
    ['src/quotes/service.ts', 'export const makePricing = () => {}'],
    ['src/quotes/service.ts', 'export { createRates, makePricing }'],
  ],
  'a service is built from its deps': [
    ['src/quotes/service.ts', 'export function createQuoteService(database: Database, rates: Rates) {}'],
  ],
  'no debugging leftovers remain': [
    ['test/a.test.ts', `test.only('a', () => {})`],
    ['test/a.test.ts', `test.skip('a', () => {})`],
    ['src/lib/a.ts',   '// TODO later'],
    ['src/lib/a.ts',   '/* FIXME */'],
    ['src/lib/a.ts',   '// @ts-ignore'],
    ['src/lib/a.ts',   '// eslint-disable-next-line'],
    ['src/lib/a.ts',   '// biome-ignore lint/style/useConst'],
    ['src/lib/a.ts',   'const a = b as any'],
  ],
  'no JS number holds money': [
    ['src/lib/a.ts', 'Number(quote.sourceAmount)'],
    ['src/lib/a.ts', `const shown = \`\${parseFloat(fee)}\``],
    ['src/lib/a.ts', '(balance / 100).toFixed(2)'],
  ],
  'only main.ts and commands print': [
    ['src/db/a.ts', `console.log('a')`],
  ],
  'state tables and tables of examples belong to pure files': [
    ['src/customers/customer.ts', `import { b } from './store.ts'\nexport const moves = {} satisfies Transitions<Status>`],
    ['src/customers/customer.ts', `import type { Queryable } from '../db/database.ts'\nconst moves = {} satisfies Transitions<Status>`],
  ],
  'pure files read no clock': [
    ['src/lib/a.ts',         'Date.now()'],
    ['src/quotes/expiry.ts', 'new Date()'],
  ],
  'randomness is strong': [
    ['test/a.test.ts', 'Math.random()'],
  ],
  'tests wait patiently': [
    ['test/a.test.ts', 'await vi.waitFor(() => expect(a).toBe(1))'],
  ],
  'no literal is spread to pack lines': [
    ['src/lib/a.ts',      'const a = { ...{ b, c }, d }'],
    ['src/lib/a.ts',      'const a = { ...{ b, ...c }, d }'],
    ['src/lib/a.ts',      'const a = {\n  ...\n  {\n    b,\n  },\n}'],
    ['src/lib/a.ts',      `const a = { ...({ b: 'POST' } as const), d }`],
    ['src/lib/a.ts',      'const a = { ...(({ b }) satisfies B), d }'],
    ['src/lib/a.ts',      'const a = { ...(log(), { b }), d }'],
    ['src/lib/a.ts',      'const a = { ...({ b } ?? e), d }'],
    ['src/lib/a.ts',      'const a = { ...(true && { b, c }), d }'],
    ['src/lib/a.ts',      'const a = { ...Object.freeze({ b, c }), d }'],
    ['src/lib/a.ts',      `const a = { ...Object.fromEntries([['b', b], ['c', c]]), d }`],
    ['src/lib/a.ts',      'const a = { ...Object.assign({}, { b, c }), d }'],
    ['src/lib/a.ts',      'const a = Object.assign({ b }, { c })'],
    ['test/a.test.ts',    'const a = [...[b, c], d]'],
    ['test/a.test.ts',    'const a = [b].concat([c, d])'],
    ['test/a.test.ts',    'const a = [...Array.of(b, c), d]'],
    ['bench/a.ts',        'go(...[a, b])'],
    ['scripts/a.mjs',     `const a = \`\${go({ ...{ b } })}\``],
  ],
  'no file names a folder of a developer’s machine': [
    ['README.md', `cd ${folder('work', 'main')}`],
    ['README.md', `"${folder('home', 'ann', 'svc')}"`],
  ],
  'no file names the tool it was written with': [
    ['README.md', `Thanks to ${['Cop', 'ilot'].join('')}`],
  ],
  'a text names who acts, in the words of the glossary': [
    ['README.md',                    'Nobody else has it.'],
    ['docs/money.md',                'Whoever pays, waits.'],
    ['docs/screening.md',            'A name is held against a published watch list.'],
    ['docs/decisions/0001-whatever-stops.md', 'Every blocked payment can be resolved.'],
    ['docs/openapi.json',            '"description": "Whatever the bank says."'],
    ['sql/functions/post.sql',       'select 1 -- somebody waits'],
    ['sql/migrations/0001_a.sql',    'create table svc.nobodys_deposits ()'],
    ['src/transactions/deposits.ts', 'export function createNobodysDeposits() {}'],
    ['src/transactions/deposits.ts', 'const turnedAway = 1'],
    ['src/transactions/deposits.ts', `throw new Refusal('CONFLICT', 'the payout was sent again')`],
    ['src/transactions/deposits.ts', '// A payout that was paid\n// again is not one.'],
    ['src/transactions/deposits.ts', '/**\n * Money that came\n * back.\n */'],
    ['test/a.test.ts',               `test('the bank gave back the money', () => {})`],
    ['test/a.test.ts',               `step('deposit carried on')`],
    ['test/a.test.ts',               'const wasSentAgain = true // when it is present again'],
    ['bench/a.ts',                   '// The rail has never heard of it.'],
  ],
  'a comment begins with what a thing does or is': [
    ['src/lib/a.ts',              '/** What a caller may ask. */\nexport const a = 1'],
    ['src/lib/a.ts',              '/**\n * Of each currency the first.\n */\nexport const a = 1'],
    ['src/lib/a.ts',              'const a = 1 // That it is one'],
    ['src/lib/a.ts',              'const a = 1\n// What follows\n// is one.'],
    ['sql/migrations/0001_a.sql', '-- What each deployment has.'],
    ['sql/migrations/0001_a.sql', 'amount numeric, -- Of the quote'],
    ['scripts/a.mjs',             '// Of the whole tree'],
  ],
}

/** Statements that are right, in the shapes that stores need. */
export const rightStatements = [
  'select name from svc.api_keys where organization_id = $1 and api_key_id = $2',
  'select name from svc.api_keys where (organization_id, api_key_id) in (select unnest($1::uuid[]), unnest($2::uuid[]))',
  'select k.name from svc.api_keys as k join svc.organizations as o using (organization_id) where k.organization_id = $1',
  'select name from svc.organizations as o where o.organization_id = $1 and exists (select from svc.api_keys as k where k.organization_id = o.organization_id)',
  'with mine as (select name from svc.api_keys where organization_id = $1) select name from mine',
  'insert into svc.api_keys (organization_id, name) select organization_id, name from svc.organizations where organization_id = $1',
  'insert into svc.api_keys (organization_id, name) values ($1, $2) on conflict (organization_id, name) do update set name = excluded.name where api_keys.revoked_at is null',
  'update svc.api_keys as k set name = $2 from svc.clock where k.organization_id = $1 returning k.name',
  'select duty from svc.duties where due_at < svc.now()',
]

/** Spreads of values, which look like spreads of literals. */
export const rightSpreads = [
  'const a = { ...b, ...(c ? { d } : {}), ...(c && { d }), ...(c ?? { d }) }',
  'const a = [...b, ...(c ? [d] : []), ...[d, e].map(f), ...([d, e] as const).map(f), ...[...d].sort()]',
  'const a = [...Array.from({ length: 3 }, b), ...Object.keys({ c, d })]',
  'const a = (...[b, c]: [string, string]) => Buffer.concat([b, c])',
  'Object.assign(error, { code })',
]
