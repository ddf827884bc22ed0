import path from 'node:path'
import { isRealDay } from '../calendar.ts'
import type { settingsOf } from '../settings.ts'

export type BankFilesConfig = {
  /** The folder with outgoing/, incoming/, archive/ and quarantine/. */
  folder: string
  /** True when the sandbox's bank takes and writes the files; else only the folders connect Svc with a bank. */
  hasSandboxBank: boolean
  /** True when files are written in the banks' hours alone, before their cut-offs. */
  keepsHours: boolean
  /** True when money with a transaction's message from another sender than its customer waits for an operator. */
  holdsMismatches: boolean
  /** Pays by Same Day ACH what it can carry. */
  usesSameDay: boolean
  /** How long nothing may change an incoming file before it is read. */
  settleMs: number
  /** How long after the decision a file may leave. */
  validSeconds: number
  /** Days on which banks are closed beside the rules, as `INDIA 2027-04-01`. */
  closedDays: ReadonlySet<string>
  /** Ranges of account numbers that our banks assigned for virtual accounts. */
  virtualAccounts: readonly VirtualAccountRange[]
}

/** Account numbers from the first to the last; for an IBAN, its country and account without the check digits. */
export type VirtualAccountRange = { bankAccountId: string; first: string; last: string }

/** The counters of numbers hold far more; no bank assigns as many. */
const mostNumbers = 1_000_000_000_000n

/** Reads a range such as `usd-main 8800000000-8800999999`; undefined when it is none. */
export function readRange(item: string): VirtualAccountRange | undefined {
  const found = /^(?<id>[a-z0-9-]{1,40}) (?<first>[A-Z0-9]{4,34})-(?<last>[A-Z0-9]{4,34})$/.exec(item)
  const { id = '', first = '', last = '' } = found?.groups ?? {}
  const prefix = first.replace(/\d+$/, '')
  const isOneRange = first.length === last.length && last.startsWith(prefix) && /^\d+$/.test(last.slice(prefix.length))
  if (!found || prefix === first || !isOneRange) return undefined
  const size = BigInt(last.slice(prefix.length)) - BigInt(first.slice(prefix.length)) + 1n
  return size > 0n && size <= mostNumbers ? { bankAccountId: id, first, last } : undefined
}

/** Reads how banks are reached. Production exchanges files; the sandbox may simulate its bank in memory instead. */
export function readBankFiles(
  environment: 'sandbox' | 'production',
  { text, oneOf, integer, list }: ReturnType<typeof settingsOf>,
  cwd: string,
  calendars: readonly string[],
): BankFilesConfig | undefined {
  const isSandbox = environment === 'sandbox'
  const folder = path.resolve(cwd, text('SVC_BANK_DIR') ?? path.join(text('SVC_DATA_DIR') ?? '.svc', 'bank'))
  const hours = oneOf('SVC_BANK_HOURS', ['always', 'calendar'] as const, isSandbox ? 'always' : 'calendar')
  const mismatch = oneOf('SVC_SENDER_MISMATCH', ['hold', 'accept'] as const, 'hold')
  const settleMs = integer('SVC_BANK_SETTLE_MS', isSandbox ? 0 : 5_000, 0, 600_000)
  const validSeconds = integer('SVC_BANK_FILE_VALID', isSandbox ? 30 : 900, 5, 86_400)
  const isClosedDay = (item: string) => {
    const [calendar = '', day = '', ...rest] = item.split(' ')
    return calendars.includes(calendar) && isRealDay(day) && rest.length === 0
  }
  const what = `a calendar (${calendars.join(', ')}) and a day each`
  const closedDays = new Set(list('SVC_BANK_CLOSED_DAYS', [], isClosedDay, 'INDIA 2027-04-01', what))
  const example = 'usd-main 8800000000-8800999999'
  const ranges = list('SVC_VIRTUAL_ACCOUNTS', [], readRange, example, 'bank accounts and ranges of numbers')
  const bank = isSandbox ? oneOf('SVC_SANDBOX_BANK', ['files', 'folders', 'memory'] as const, 'files') : 'folders'
  if (bank === 'memory') return undefined
  return {
    folder,
    hasSandboxBank: bank === 'files',
    keepsHours: hours === 'calendar',
    holdsMismatches: mismatch === 'hold',
    usesSameDay: oneOf('SVC_ACH_SAME_DAY', ['true', 'false'] as const, 'false') === 'true',
    validSeconds,
    settleMs,
    closedDays,
    virtualAccounts: ranges.flatMap((item) => readRange(item) ?? []),
  }
}
