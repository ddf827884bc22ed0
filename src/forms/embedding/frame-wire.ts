import type { PageRequest } from '../../http/pages/page.ts'

/** A form in a frame has a session of its own: leaving it there does not end the one in a window. */
export function isFramed({ query, headers }: PageRequest): boolean {
  return Boolean(query.parent) || headers['x-form-framed'] !== undefined
}
