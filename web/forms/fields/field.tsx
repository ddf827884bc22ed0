import { FileField } from '../files/file-field.tsx'
import { type FieldProps, Question } from './question.tsx'

/** A field of the verification form, which may be a file. */
export function Field(props: FieldProps) {
  return <Question {...props} File={FileField} />
}
