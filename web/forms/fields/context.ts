import { createContext } from 'preact'
import { useContext, useEffect, useState } from 'preact/hooks'
import type { FormStore } from '../model/store.ts'
import type { Catalog } from '../model/types.ts'

export type Form = { store: FormStore; catalog: Catalog }

export const FormContext = createContext<Form | undefined>(undefined)

/** The form of this window. A component that uses it is drawn again when an answer changes. */
export function useForm(): Form {
  const form = useContext(FormContext)
  if (!form) throw new Error('there is no form around this component')
  const [, redraw] = useState(0)
  useEffect(() => form.store.listen(() => redraw((count) => count + 1)), [form.store])
  return form
}
