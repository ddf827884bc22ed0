import { expect, test } from 'vitest'
import { openDesk } from '../../support/bank/bank-desk.ts'
import { daysBefore, fillLongHistory } from '../../support/reconciliation/long-history.ts'
import { accountOn, openItemsOf, today } from '../../support/reconciliation/reading.ts'
import { startApi } from '../../support/runner/api.ts'
import { form, roundsTimeoutMs } from '../../support/runner/form.ts'

/**
 * An account whose bank has booked very much in its life: payouts that a notification and a statement tell, and deposits
 * that a statement tells. A comparison within the statement timeout of the database reads what is open, and one day.
 */
const count = { short: 2_000, timed: 30_000, full: 300_000 }[form]
const days = 100
const api = await startApi((await openDesk()).settings)
const now = await today(api)
await fillLongHistory(api.database.owner, { count, days, until: now })
await api.app.reconciliation.keepNames()

test(`${count} bookings of one account are compared, and the one charge is found`, {
  timeout: roundsTimeoutMs,
}, async () => {
  const middleDay = daysBefore(now, days / 2)
  const middle = await accountOn(api, 'eur-main', middleDay)
  expect(middle).toMatchObject({ difference: '0.00', lastStatement: middleDay })
  expect(openItemsOf(middle)).toEqual([])
  expect(middle.items).toHaveLength(count / days)

  const charge = `-${(count - 100) / 100}.99`
  const last = await accountOn(api, 'eur-main', now)
  expect(last).toMatchObject({ difference: charge })
  expect(last.items).toMatchObject([{ state: 'UNEXPECTED', kind: 'ENTRY', amount: charge }])
})
