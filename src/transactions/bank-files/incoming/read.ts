import { createHash } from 'node:crypto'
import type { BankAccount } from '../../treasury/bank-account.ts'
import type { OpenedFile } from '../exchange.ts'
import type { AccountName, BankFormats, FileRecord, IncomingRecord } from '../formats.ts'
import { compareBank, findOwnAccount } from './own-accounts.ts'

/** Why a file goes to quarantine. The message repeats no value of the file. */
export class UnusableFile extends Error {
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.name = 'UnusableFile'
    this.code = code
  }
}

export type FindAccount = (named: AccountName) => Promise<BankAccount | undefined>

/** The facts of a file that was read to its end. */
export type CheckedFile = {
  first: FileRecord
  records: number
  account: BankAccount | undefined
  /** False when further pages of a statement follow in other files. */
  isLastPage: boolean
  /** A digest of each chunk, so that only bytes that were checked are applied. */
  digests: readonly Buffer[]
}

/** Finds the account of ours that a message names, or the account behind a customer's virtual account. */
export function createAccountFinder(
  accounts: readonly BankAccount[],
  isVirtual: (named: AccountName & { currency: string }) => Promise<boolean>,
): FindAccount {
  const found = new Map<string, BankAccount | undefined>()
  return async (named) => {
    const key = JSON.stringify(named)
    if (!found.has(key)) found.set(key, findOwnAccount(accounts, named) ?? (await behind(named)))
    return found.get(key)
  }

  async function behind(named: AccountName): Promise<BankAccount | undefined> {
    const candidates: { account: BankAccount; bank: 'SAME' | undefined }[] = []
    for (const account of accounts) {
      const { currency, files } = account
      const mayBe = files !== null && (named.currency === undefined || named.currency === currency)
      const bank = mayBe ? compareBank(files.coordinates, named) : 'OTHER'
      if (bank !== 'OTHER' && (await isVirtual({ ...named, currency }))) candidates.push({ account, bank })
    }
    // An account at the named bank comes before those whose bank cannot be compared.
    const atBank = candidates.filter(({ bank }) => bank === 'SAME')
    const [only, ...others] = atBank.length > 0 ? atBank : candidates
    if (others.length > 0) {
      throw new UnusableFile(
        'SEVERAL_ACCOUNTS',
        'The file is about a virtual account, and does not say at which of our banks: the bank must name itself in it',
      )
    }
    return only?.account
  }
}

const digestOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest()

/** Passes chunks on, and hashes each of them and all of them. */
function hashing(source: AsyncIterable<Buffer>) {
  const hash = createHash('sha256')
  const digests: Buffer[] = []
  async function* read() {
    for await (const chunk of source) {
      hash.update(chunk)
      digests.push(digestOf(chunk))
      yield chunk
    }
  }
  return { chunks: read(), digests, digest: () => hash.digest() }
}

/** Passes on chunks that are those of the first reading; throws before the first other one. */
export async function* verified(
  source: AsyncIterable<Buffer>,
  digests: readonly Buffer[],
): AsyncGenerator<Buffer, void, undefined> {
  let place = 0
  for await (const chunk of source) {
    if (digests[place]?.equals(digestOf(chunk)) !== true) throw new Error('the bank file was changed while Svc read it')
    place += 1
    yield chunk
  }
}

/** Hashes and counts the bytes of a file, and closes it. */
export async function hashFile({ chunks, close }: OpenedFile): Promise<{ contentHash: Buffer; size: number }> {
  const hash = createHash('sha256')
  let size = 0
  try {
    for await (const chunk of chunks) {
      hash.update(chunk)
      size += chunk.length
    }
  } finally {
    await close()
  }
  return { contentHash: hash.digest(), size }
}

/** Reads a whole file without keeping it, and throws if any part of it cannot be applied. */
export async function checkFile(
  { readIncoming }: BankFormats,
  source: AsyncIterable<Buffer>,
  contentHash: Buffer,
  findAccount: FindAccount,
): Promise<CheckedFile> {
  const { chunks, digests, digest } = hashing(source)
  let first: FileRecord | undefined
  let account: BankAccount | undefined
  let records = 0
  let isLastPage = true
  for await (const record of readIncoming(chunks)) {
    records += 1
    if (record.type === 'FILE') first ??= record
    if (record.type === 'FILE' || record.type === 'STATEMENT') isLastPage &&= record.page?.isLast ?? true
    account = (await accountOf(record, findAccount)) ?? account
  }
  if (!first) throw new UnusableFile('MALFORMED', 'The file has no header')
  // A reader may stop before trailing bytes.
  for await (const _ of chunks);
  if (!digest().equals(contentHash)) throw new UnusableFile('CHANGED', 'The file was changed while Svc read it')
  return { first, records, account, isLastPage, digests }
}

/** Finds the account that a record is about; throws when it is not ours. */
export async function accountOf(record: IncomingRecord, findAccount: FindAccount): Promise<BankAccount | undefined> {
  if (record.type !== 'ENTRY' && record.type !== 'STATEMENT') return undefined
  const account = await findAccount(record.account)
  if (!account) throw new UnusableFile('FOREIGN_ACCOUNT', 'The file is about an account that is not ours')
  if (record.type === 'ENTRY' && record.amount.currency !== account.currency)
    throw new UnusableFile('WRONG_CURRENCY', 'An entry has another currency than its account')
  return account
}
