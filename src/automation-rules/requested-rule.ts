import type { Queryable } from '../db/database.ts'
import type { Caller } from '../lib/caller.ts'
import { badFields, type FieldProblem, notFound, Refusal } from '../lib/refusal.ts'
import type { Validated } from '../lib/validated.ts'
import * as store from './reference-store.ts'
import type { RuleAccount, RuleCustomer } from './references.ts'
import { fieldPath, fitProblems, idAt, type RuleTerms, readTerms, type ShowCurrency, type Side } from './request.ts'
import type { Rule } from './rule.ts'

export type RequestedRule = { customer: RuleCustomer; name: string; terms: RuleTerms }

/**
 * Reads a requested rule with its customer and accounts. Missing ids (404) and inactive accounts (409) are reported
 * before problems of the body; the customer may have any status. In mode `lock`, no account can be deleted before the
 * tx ends.
 */
export async function readRequestedRule(
  { queryable, showCurrency, mode }: { queryable: Queryable; showCurrency: ShowCurrency; mode: 'read' | 'lock' },
  { organizationIds }: Caller,
  inspected: Validated<unknown>,
  moreProblems: readonly FieldProblem[],
): Promise<RequestedRule> {
  const body = inspected.value
  const { terms, problems } = readTerms(body, showCurrency)
  const customerId = idAt(body, 'customerId')
  if (customerId === undefined) throw badRequest(inspected, [...problems, ...moreProblems])
  const customer = await store.findCustomer(queryable, organizationIds, customerId)
  if (!customer) throw notFound()
  const accounts = await findNamedAccounts(queryable, customer, body, ['source', 'destination'], mode)
  const fit = accounts.flatMap(({ side, account }) => fitProblems(body, side, account))
  const wrong = [...fit, ...problems, ...moreProblems]
  if (!inspected.ok || wrong.length > 0) throw badRequest(inspected, wrong)
  return { customer, name: (inspected.value as { name: string }).name, terms }
}

/** Finds the accounts that a body names. Each must be the customer's and ACTIVE. */
export async function findNamedAccounts(
  queryable: Queryable,
  customer: Pick<Rule, 'organizationId' | 'customerId'>,
  body: unknown,
  sides: readonly Side[],
  mode: 'read' | 'lock',
): Promise<{ side: Side; account: RuleAccount }[]> {
  const named = sides.flatMap((side) => {
    const id = idAt(body, fieldPath(side, 'PaymentAccountId'))
    return id === undefined ? [] : [{ side, id }]
  })
  const found = await store.findAccounts(
    queryable,
    customer,
    named.map(({ id }) => id),
    mode,
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

/** Builds a 400 with the first problem of each field, without the inner fields of an object that is itself invalid. */
export function badRequest(inspected: Validated<unknown>, problems: readonly FieldProblem[]): Refusal {
  const schemaProblems = inspected.ok ? [] : inspected.problems
  const isInside = (field: string) => schemaProblems.some((each) => field.startsWith(`${each.field}.`))
  const seen = new Set<string>()
  const all = [...schemaProblems, ...problems.filter(({ field }) => !isInside(field))]
  return badFields(all.filter(({ field }) => !seen.has(field) && seen.add(field)))
}
