import { formatList } from '../texts/format.ts'
import { textAt, texts } from '../texts/words.ts'
import { ApiError } from './api.ts'
import { fullLabelOf, labelOf } from './labels.ts'

/** Says in the customer's words why the service took no submission. */
export function sayRefusal(error: unknown, values: unknown): string {
  if (!(error instanceof ApiError) || error.status === 0) return texts.loadFailedHint
  const fields = error.details.map(({ field }) => field).filter((field) => labelOf(field, values) !== texts.unnamed)
  const labels = [...new Set(fields.map((field) => fullLabelOf(field, values)))]
  const known = textAt(texts.refusals, error.code) ?? texts.refusals.OTHER
  return labels.length > 0 ? texts.refusedFields(formatList(labels)) : known
}

/** Says in the customer's words why the service took no file. */
export function sayRefusedFile(error: unknown): string {
  const isFinal = error instanceof ApiError && [400, 413, 415].includes(error.status)
  if (!isFinal) return texts.files.failed
  const [detail] = error.details
  const rule = detail?.rule ?? (error.status === 413 ? 'FILE_SIZE' : error.status === 415 ? 'FILE_TYPE' : '')
  return textAt(texts.files.refused, rule) ?? texts.files.unreadable
}
