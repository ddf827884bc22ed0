import type { Queryable } from '../../db/database.ts'

/** Takes the next number of a series, beginning with 1; undefined when it is used up. */
export async function takeVirtualAccountNumber(
  database: Queryable,
  { name, size }: { name: string; size: bigint },
): Promise<bigint | undefined> {
  const [found] = await database.query<{ taken: string }>({
    name: 'take virtual account number',
    text: `insert into svc.virtual_account_series as series (series, taken) values ($1, 1)
               on conflict (series) do update set taken = series.taken + 1 where series.taken < $2
        returning taken`,
    values: [name, size],
  })
  return found && BigInt(found.taken)
}

/** Reads how many numbers of each series are taken, or of one. */
export async function readTakenNumbers(database: Queryable, series?: string): Promise<Map<string, bigint>> {
  const rows = await database.query<{ series: string; taken: string }>({
    name: 'read taken virtual account numbers',
    text: 'select series, taken from svc.virtual_account_series where $1::text is null or series = $1',
    values: [series ?? null],
  })
  return new Map(rows.map(({ series, taken }) => [series, BigInt(taken)]))
}

/** Issues coordinates to an account; false when they were issued before, by whichever process. */
export async function issueCoordinates(
  database: Queryable,
  { receivingHash, accountHash }: { receivingHash: Buffer; accountHash: Buffer },
  paymentAccountId: string,
): Promise<boolean> {
  const issued = await database.query({
    name: 'issue coordinates',
    text: `insert into svc.virtual_accounts (receiving_hash, account_hash, payment_account_id) values ($1, $2, $3)
               on conflict do nothing returning payment_account_id`,
    values: [receivingHash, accountHash, paymentAccountId],
  })
  return issued.length > 0
}

/** True when these coordinates were ever issued to an account: by its number alone, or with the code of its bank. */
export async function wasIssued(
  database: Queryable,
  { receivingHash, accountHash }: { receivingHash?: Buffer; accountHash?: Buffer },
): Promise<boolean> {
  const found = await database.query({
    name: 'were coordinates issued',
    text: 'select payment_account_id from svc.virtual_accounts where receiving_hash = $1 or account_hash = $2',
    values: [receivingHash ?? null, accountHash ?? null],
  })
  return found.length > 0
}
