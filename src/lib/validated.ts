import type { FieldProblem } from './refusal.ts'

/** A checked value, or everything that is wrong with it. */
export type Validated<Value> = { ok: true; value: Value } | { ok: false; value: unknown; problems: FieldProblem[] }
