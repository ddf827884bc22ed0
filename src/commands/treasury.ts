import { parseArgs } from 'node:util'
import type { App } from '../app.ts'
import { scaleOf } from '../catalog/currencies.ts'
import type { Config } from '../config.ts'
import type { Logger } from '../http/log.ts'
import { isUuid, platformOrganizationId } from '../lib/ids.ts'
import { formatAmount } from '../lib/money.ts'
import { UsageError } from '../lib/settings.ts'
import { proposalDays } from '../transactions/treasury/proposal.ts'
import type { Submitted } from '../transactions/treasury/service.ts'
import { requireOrganization, withApp } from './tools.ts'
import { describeProposed, printOverview, writeOverview } from './treasury-overview.ts'

type Print = (line: string) => void

const text = { type: 'string', default: '' } as const
const flag = { type: 'boolean', default: false } as const
const options = {
  account: text,
  bank: text,
  currency: text,
  rails: text,
  holder: text,
  coordinates: text,
  dialect: text,
  holding: text,
  from: text,
  to: text,
  asset: text,
  'to-asset': text,
  amount: text,
  received: text,
  minimum: text,
  organization: text,
  reason: text,
  refund: flag,
  json: flag,
}
type Option = keyof typeof options
type Values = ReturnType<typeof parse>['values']

type Verb = {
  needs: readonly Option[]
  may?: readonly Option[]
  /** Takes the id of a proposal, or the name of a bank account. */
  takes?: 'proposal' | 'account'
  run(app: App, print: Print, values: Values, id: string): Promise<void>
}

const movementOptions = ['organization', 'holding', 'asset', 'amount', 'reason'] as const
const sendOptions = ['organization', 'asset', 'amount', 'reason'] as const
const rebalanceOptions = ['organization', 'from', 'to', 'asset', 'amount', 'reason'] as const

const verbs = new Map<string, Verb>([
  ['accounts', { needs: [], run: listAccounts }],
  [
    'open',
    {
      needs: ['account', 'bank', 'currency', 'rails'],
      may: ['holder', 'coordinates', 'dialect'],
      run: openAccount,
    },
  ],
  ['connect', { needs: ['holder', 'coordinates', 'dialect'], takes: 'account', run: connectAccount }],
  ['show', { needs: [], may: ['organization', 'json'], run: show }],
  ['fund', { needs: movementOptions, run: fund }],
  ['withdraw', { needs: movementOptions, run: withdraw }],
  ['send', { needs: sendOptions, run: send }],
  ['fee', { needs: movementOptions, may: ['refund'], run: recordFee }],
  ['rebalance', { needs: rebalanceOptions, may: ['to-asset', 'received'], run: rebalance }],
  ['collect', { needs: ['organization'], may: ['minimum'], run: collect }],
  ['approve', { needs: [], takes: 'proposal', run: approve }],
  ['refuse', { needs: ['reason'], takes: 'proposal', run: refuse }],
])

function parse(args: string[]) {
  return parseArgs({ args, allowPositionals: true, options })
}

/** Runs a command about our own bank accounts and money; undefined when there is no such command. */
export function findTreasuryCommand(
  args: string[],
): ((config: Config, log: Logger, print: Print) => Promise<number>) | undefined {
  const { positionals, values } = parse(args)
  const [name = '', id = '', ...rest] = positionals
  const verb = verbs.get(name)
  if (!verb || rest.length > 0 || (id !== '' && !verb.takes)) return undefined
  const given = Object.entries(values).flatMap(([option, value]) =>
    value === true || (typeof value === 'string' && value.trim() !== '') ? [option] : [],
  )
  const missing = verb.needs.find((option) => !given.includes(option))
  if (missing) throw new UsageError(`--${missing} is missing.`)
  const known: readonly string[] = [...verb.needs, ...(verb.may ?? [])]
  const unknown = given.find((option) => !known.includes(option))
  if (unknown) throw new UsageError(`--${unknown} is no option of "svc treasury ${name}": leave it out.`)
  if (given.includes('organization') && !isUuid(values.organization))
    throw new UsageError('--organization must be the id of an organization.')
  if (verb.takes === 'account' && id === '') throw new UsageError('"svc treasury connect" needs a bank account.')
  if (verb.takes === 'proposal' && !isUuid(id))
    throw new UsageError(`"svc treasury ${name}" needs the id of a proposal.`)
  return (config, log, print) =>
    withApp(config, log, async (app) => {
      const { organization } = values
      if (organization !== '' && organization !== platformOrganizationId) await requireOrganization(app, organization)
      await verb.run(app, print, values, id)
      return 0
    })
}

async function listAccounts({ treasury }: App, print: Print): Promise<void> {
  const found = await treasury.listAccounts()
  for (const { bankAccountId, bankName, currency, rails } of found) {
    print(`${bankAccountId}  ${currency}  ${rails.join(',')}  ${bankName}`)
  }
  if (found.length === 0) print('There is no bank account: open one with "svc treasury open".')
}

async function openAccount({ treasury }: App, print: Print, values: Values): Promise<void> {
  const { account: bankAccountId, bank: bankName, currency, holder: holderName } = values
  const rails = values.rails.split(',').map((rail) => rail.trim())
  const account = { bankAccountId, bankName, currency, rails }
  const isForFiles = holderName !== '' || values.coordinates !== '' || values.dialect !== ''
  await treasury.openAccount(account, isForFiles ? filesOf(values) : undefined)
  print(`${bankAccountId} serves ${values.rails}${isForFiles ? ', with files' : ''}.`)
}

/** Connects an account that has no coordinates yet with the files of its bank. Audited. */
async function connectAccount({ treasury }: App, print: Print, values: Values, bankAccountId: string): Promise<void> {
  await treasury.connectAccount(bankAccountId, filesOf(values))
  print(`${bankAccountId} exchanges files with its bank.`)
}

function filesOf({ holder: holderName, coordinates, dialect }: Values) {
  return {
    holderName,
    coordinates: readPairs('coordinates', coordinates),
    dialect: readPairs('dialect', dialect),
  }
}

/** Reads `name=value` pairs that commas separate. */
function readPairs(option: string, given: string): Record<string, string> {
  const pairs = given.split(',').filter((pair) => pair.trim() !== '')
  return Object.fromEntries(
    pairs.map((pair) => {
      const [name = '', ...value] = pair.split('=')
      if (name.trim() === '' || value.length === 0) throw new UsageError(`--${option} must be name=value,name=value.`)
      return [name.trim(), value.join('=').trim()]
    }),
  )
}

async function show({ treasury }: App, print: Print, { organization, json }: Values): Promise<void> {
  const overview = await treasury.readOverview(organization === '' ? undefined : organization)
  if (json) print(JSON.stringify(writeOverview(overview), null, 2))
  else printOverview(overview, print)
}

async function fund({ treasury }: App, print: Print, values: Values): Promise<void> {
  const { holding, asset, amount } = values
  report(print, await treasury.fund(movementOf(values)), `${amount} ${asset} were put into ${holding}.`)
}

async function withdraw({ treasury }: App, print: Print, values: Values): Promise<void> {
  const { holding, asset, amount } = values
  report(print, await treasury.withdraw(movementOf(values)), `${amount} ${asset} were taken from ${holding}.`)
}

async function send({ treasury }: App, print: Print, { organization, asset, amount, reason }: Values): Promise<void> {
  const submitted = await treasury.send({ organizationId: organization, asset, amount, reason })
  report(print, submitted, `${amount} ${asset} leave our treasury for our reserve: see "svc treasury show".`)
}

async function recordFee({ treasury }: App, print: Print, values: Values): Promise<void> {
  const { holding, asset, amount, refund } = values
  const submitted = await (refund ? treasury.refundFee : treasury.chargeFee)(movementOf(values))
  report(print, submitted, `${amount} ${asset} were ${refund ? 'refunded' : 'charged'} at ${holding}.`)
}

function movementOf({ organization: organizationId, holding, asset, amount, reason }: Values) {
  return { organizationId, holding, asset, amount, reason }
}

async function rebalance({ treasury }: App, print: Print, values: Values): Promise<void> {
  const { organization: organizationId, from, to, asset, amount, reason } = values
  const toAsset = values['to-asset'] || undefined
  const received = values.received || undefined
  const submitted = await treasury.rebalance({ organizationId, from, to, asset, toAsset, amount, received, reason })
  const arrived = `${received ?? amount} ${toAsset ?? asset}`
  report(print, submitted, `${amount} ${asset} left ${from}, and ${arrived} arrived at ${to}.`)
}

async function collect({ collections }: App, print: Print, { organization, minimum }: Values): Promise<void> {
  const owed = await collections.collect(organization, minimum || undefined)
  for (const { purpose, asset, amount, fromWalletId } of owed) {
    print(`${purpose}  ${formatAmount(BigInt(amount), scaleOf(asset))} ${asset}  from wallet ${fromWalletId}`)
  }
  if (owed.length === 0) print('There is nothing to collect.')
}

function report(print: Print, submitted: Submitted, done: string): void {
  if (submitted.result === 'RECORDED') {
    print(done)
    return
  }
  print(`Nothing is recorded yet. Another person, named by SVC_OPERATOR, approves it within ${proposalDays} days:`)
  print(`  svc treasury approve ${submitted.proposalId}`)
}

async function approve({ treasury }: App, print: Print, _: Values, proposalId: string): Promise<void> {
  print(`Recorded: ${describeProposed(await treasury.approve(proposalId))}.`)
}

async function refuse({ treasury }: App, print: Print, { reason }: Values, proposalId: string): Promise<void> {
  await treasury.refuse(proposalId, reason)
  print('Refused. Nothing is recorded.')
}
