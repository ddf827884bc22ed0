import { expect } from 'vitest'
import type { TestApi } from '../runner/api.ts'
import { eventually } from '../runner/eventually.ts'

export type ShownItem = {
  state: 'MATCHED' | 'MISSING' | 'UNEXPECTED'
  kind: string
  reference: string
  amount: string
  ageDays: number
  isAged: boolean
  matchedOn?: string
}
export type ShownAccount = {
  account: string
  ledger: string
  outside: string
  difference: string
  lastStatement?: string
  items: ShownItem[]
}

/** The present day of business time. */
export async function today(api: TestApi): Promise<string> {
  const { body } = await api.get('/reconciliation')
  return body.date
}

/** Reads one account at the end of a day, with the items of every page. */
export async function accountOn(api: TestApi, account: string, date: string, pageSize = 100): Promise<ShownAccount> {
  const pages: ShownAccount[] = []
  let pageToken = ''
  do {
    const { status, body } = await api.get(`/reconciliation?date=${date}&pageSize=${pageSize}&pageToken=${pageToken}`)
    expect(status).toBe(200)
    pages.push(...body.accounts.filter((each: ShownAccount) => each.account === account))
    pageToken = body.nextPageToken
  } while (pageToken !== '')
  const [found] = pages
  if (!found) throw new Error(`the report has no account ${account}`)
  return { ...found, items: pages.flatMap(({ items }) => items) }
}

export const openItemsOf = ({ items }: ShownAccount) => items.filter(({ state }) => state !== 'MATCHED')

/** Waits until nothing that a bank has told waits to be booked. */
export function settleAll(api: TestApi): Promise<void> {
  const text = `select 'a report' from svc.rail_reports where due_at is not null
                 union all select 'a sighting' from svc.sightings where due_at is not null
                 union all select 'a reversal' from svc.bank_entries where outcome = 'REVERSING'
                 union all select 'a file' from svc.bank_files where status = 'RECEIVED'`
  return eventually(async () => expect(await api.app.database.query({ text })).toEqual([]))
}
