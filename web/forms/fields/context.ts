import { createContext } from 'preact'
import { useContext, useEffect, useState } from 'preact/hooks'
import type { FormStore } from '../model/store.ts'
import type { Answered, Catalog } from '../model/types.ts'

/** The answers of a form, as its fields show and change them. */
export type FieldStore = {
  readonly state: Answered
  set(path: string, value: unknown): void
  /** The customer has left a field. */
  flush(): Promise<void>
  listen(listener: () => void): () => void
}

export type Fields = { store: FieldStore; catalog: Catalog }

/** The form of bank accounts has fields, and no draft. */
export const FieldContext = createContext<Fields | undefined>(undefined)

export type Form = { store: FormStore; catalog: Catalog }

export const FormContext = createContext<Form | undefined>(undefined)

/** The verification form of this window. A component that uses it is drawn again when an answer changes. */
export function useForm(): Form {
  return useListened(useContext(FormContext))
}

/** The fields of the form of this window, whichever it is. */
export function useFields(): Fields {
  const form = useContext(FormContext)
  return useListened(useContext(FieldContext) ?? form)
}

/** Draws a component again when an answer changes. */
export function useListened<Listened extends { store: Pick<FieldStore, 'listen'> }>(
  form: Listened | undefined,
): Listened {
  if (!form) throw new Error('there is no form around this component')
  const [, redraw] = useState(0)
  useEffect(() => form.store.listen(() => redraw((count) => count + 1)), [form.store])
  return form
}
