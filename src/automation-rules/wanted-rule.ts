import type { Queryable } from '../db/database.ts'
import type { Caller } from '../lib/caller.ts'
import { badFields, type FieldProblem, notFound, Refusal } from '../lib/refusal.ts'
import type { Validated } from '../lib/validated.ts'
import * as store from './reference-store.ts'
import type { RuleAccount, RuleCustomer } from './references.ts'
import { fieldOf, fitProblems, idAt, type RuleTerms, readTerms, type ShowCurrency, type Side } from './request.ts'
import type { Rule } from './rule.ts'

export type WantedRule = { customer: RuleCustomer; name: string; terms: RuleTerms }

/**
 * A rule that somebody asks for, with everything it names. 404 and the states of its accounts are told before anything
 * is said about the body; the customer may be in any state. Held, the accounts stay until the transaction ends.
 */
export async function readWanted(
  { queryable, showCurrency, how }: { queryable: Queryable; showCurrency: ShowCurrency; how: 'look' | 'hold' },
  { organizationIds }: Caller,
  inspected: Validated<unknown>,
  moreProblems: readonly FieldProblem[],
): Promise<WantedRule> {
  const body = inspected.value
  const { terms, problems } = readTerms(body, showCurrency)
  const customerId = idAt(body, 'customerId')
  if (customerId === undefined) throw allProblems(inspected, [...problems, ...moreProblems])
  const customer = await store.findCustomer(queryable, organizationIds, customerId)
  if (!customer) throw notFound()
  const accounts = await findSides(queryable, customer, body, ['source', 'destination'], how)
  const fit = accounts.flatMap(({ side, account }) => fitProblems(body, side, account))
  const wrong = [...fit, ...problems, ...moreProblems]
  if (!inspected.ok || wrong.length > 0) throw allProblems(inspected, wrong)
  return { customer, name: (inspected.value as { name: string }).name, terms }
}

/** The accounts that a body names, all of them the customer's and ACTIVE. */
export async function findSides(
  queryable: Queryable,
  customer: Pick<Rule, 'organizationId' | 'customerId'>,
  body: unknown,
  sides: readonly Side[],
  how: 'look' | 'hold',
): Promise<{ side: Side; account: RuleAccount }[]> {
  const named = sides.flatMap((side) => {
    const id = idAt(body, fieldOf(side, 'PaymentAccountId'))
    return id === undefined ? [] : [{ side, id }]
  })
  const found = await store.findAccounts(
    queryable,
    customer,
    named.map(({ id }) => id),
    how,
  )
  const accounts = named.map(({ side, id }) => {
    const account = found.find((each) => each.paymentAccountId === id)
    if (!account) throw notFound()
    return { side, account }
  })
  for (const { side, account } of accounts) requireActive(side, account)
  return accounts
}

function requireActive(side: Side, { status }: Pick<RuleAccount, 'status'>): void {
  if (status === 'ACTIVE') return
  throw new Refusal('CONFLICT', `The ${side} payment account is ${status}, and must be ACTIVE`)
}

/** Of each field what was found wrong first, and nothing about the inside of what is not there. */
export function allProblems(inspected: Validated<unknown>, problems: readonly FieldProblem[]): Refusal {
  const ofForm = inspected.ok ? [] : inspected.problems
  const isInside = (field: string) => ofForm.some((each) => field.startsWith(`${each.field}.`))
  const seen = new Set<string>()
  const all = [...ofForm, ...problems.filter(({ field }) => !isInside(field))]
  return badFields(all.filter(({ field }) => !seen.has(field) && seen.add(field)))
}
