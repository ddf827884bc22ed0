import type { Queryable } from './database.ts'

/** What a counterparty of the sandbox does with a transfer. */
export const behaviours = ['SETTLE', 'REFUSE', 'RETURN', 'LOSE_REPLY', 'LOSE_REQUEST', 'SLOW'] as const
export type Behaviour = (typeof behaviours)[number]

export type Remembered = {
  behaviour: Behaviour
  requests: number
  hasArrived: boolean
  amount: string
  isSettled: boolean
  isReturned: boolean
}

const remembered = `behaviour, requests, has_arrived as "hasArrived", amount, svc.now() >= settles_at as "isSettled",
  coalesce(svc.now() >= returns_at, false) as "isReturned"`

export type NewTransfer = { reference: string; behaviour: Behaviour; amount: bigint; settlesInSeconds: number }

/** The first request decides; another with the same reference changes nothing but that it has arrived. */
export async function rememberTransfer(memory: Queryable, transfer: NewTransfer): Promise<Remembered> {
  const { reference, behaviour, amount, settlesInSeconds } = transfer
  const [row] = await memory.query<Remembered>({
    name: 'remember transfer',
    text: `insert into svc.sandbox_transfers as known (reference, behaviour, has_arrived, amount, settles_at, returns_at,
                  created_at)
           values ($1, $2, $2 <> 'LOSE_REQUEST', $3, svc.now() + $4 * interval '1 second',
                  case when $2 = 'RETURN' then svc.now() + ($4 + 86400) * interval '1 second' end, svc.now())
               on conflict (reference) do update
              set requests = known.requests + 1, has_arrived = known.requests > 0 or excluded.has_arrived,
                  behaviour = case known.requests when 0 then excluded.behaviour else known.behaviour end,
                  amount = case known.requests when 0 then excluded.amount else known.amount end,
                  returns_at = case known.requests when 0 then excluded.returns_at else known.returns_at end
        returning ${remembered}`,
    values: [reference, behaviour, amount, settlesInSeconds],
  })
  if (!row) throw new Error('a counterparty forgot what it was told')
  return row
}

export async function recallTransfer(memory: Queryable, reference: string): Promise<Remembered | undefined> {
  const [row] = await memory.query<Remembered>({
    name: 'recall transfer',
    text: `select ${remembered} from svc.sandbox_transfers where reference = $1 and has_arrived`,
    values: [reference],
  })
  return row
}

/** Makes these happen now: that they settle, or that they come back. What has not arrived yet settles when it does. */
export async function expediteTransfers(
  memory: Queryable,
  references: readonly string[],
  what: 'settle' | 'return',
): Promise<void> {
  await memory.query({
    name: `hurry transfers to ${what}`,
    text: `insert into svc.sandbox_transfers (reference, behaviour, requests, has_arrived, amount, settles_at, created_at)
           select unnest($1::uuid[]), 'SETTLE', 0, false, 0, svc.now(), svc.now()
               on conflict (reference) do update set ${what === 'settle' ? 'settles_at' : 'returns_at'} = svc.now()`,
    values: [references],
  })
}
