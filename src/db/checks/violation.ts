/** A row that violates an invariant. Without an organization or asset, it concerns the whole deployment. */
export type Violation = { violation: string; organizationId?: string; asset?: string }

/** A row of a check's statement, as JSON, because only some checks know an organization and an asset. */
export type FoundRow = { found: { violation: string; organization_id?: string | null; asset?: string | null } }

export function toViolation({ found: { violation, organization_id: organizationId, asset } }: FoundRow): Violation {
  return { violation, ...(organizationId ? { organizationId } : {}), ...(asset ? { asset } : {}) }
}

/** At most this many violations of an organization and asset, so that none hides those of another. */
const mostOfEach = 20

/** Selects what a statement found: some violations of each organization and asset. */
export const selectFound = (sql: string) => `
  select found from (
    select found, row_number() over (partition by found ->> 'organization_id', found ->> 'asset') as place
      from (select to_jsonb(violations) as found from (${sql}) as violations) as each) as ranked
   where place <= ${mostOfEach}`
