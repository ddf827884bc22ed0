const ofAny = /\borganization_id = any\(\$1\)/
const known = new Map<string, string | undefined>()

type Statement = { name?: string; text: string; values?: unknown[] }

/**
 * Rewrites a prepared read of a caller's organizations for a caller who has one, as most have. PostgreSQL plans
 * `= any($1)` anew for each call, because its guess for an array of unknown length costs more; it plans `= $1` once.
 */
export function forOneOrganization<Each extends Statement>(statement: Each): Each {
  const { name, text, values } = statement
  const first = values?.[0]
  if (name === undefined || !Array.isArray(first) || first.length !== 1) return statement
  if (!known.has(name)) known.set(name, rewrite(text))
  const rewritten = known.get(name)
  if (rewritten === undefined) return statement
  return { ...statement, name: `${name}, one`, text: rewritten, values: [first[0], ...(values ?? []).slice(1)] }
}

/** Returns undefined for a text that uses the list in another way, too. */
function rewrite(text: string): string | undefined {
  const uses = text.match(/\$1(?!\d)/g)?.length ?? 0
  return uses === 1 && ofAny.test(text) ? text.replace(ofAny, 'organization_id = $1') : undefined
}
