/** A row that violates an invariant. Without an organization or asset, it concerns the whole deployment. */
export type Violation = { violation: string; organizationId?: string; asset?: string }

/** A row of a check's statement, as JSON, because only some checks know an organization and an asset. */
export type FoundRow = { found: { violation: string; organization_id?: string | null; asset?: string | null } }

export function toViolation({ found: { violation, organization_id: organizationId, asset } }: FoundRow): Violation {
  return { violation, ...(organizationId ? { organizationId } : {}), ...(asset ? { asset } : {}) }
}
