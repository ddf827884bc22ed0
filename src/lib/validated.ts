import type { FieldProblem } from './refusal.ts'

/** A valid value, or all problems of an invalid one. */
export type Validated<Value> = { ok: true; value: Value } | { ok: false; value: unknown; problems: FieldProblem[] }
