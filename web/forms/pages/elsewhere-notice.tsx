import { useState } from 'preact/hooks'
import { useForm } from '../fields/context.ts'
import { labelOf } from '../model/problems.ts'
import { texts } from '../texts/words.ts'
import { Banner } from './banner.tsx'

/** Tells that another device has changed the form, and what this window had to give up for it. */
export function ElsewhereNotice() {
  const { store } = useForm()
  const [noticed, setNoticed] = useState(0)
  const { elsewhere } = store
  if (elsewhere.lost.length > 0) {
    const labels = [...new Set(elsewhere.lost.map((field) => labelOf(field, store.state.values)))]
    const text = texts.lostElsewhere(labels.join(', '))
    return (
      <Banner key="lost" role="alert" text={text} action={{ name: texts.close, run: () => elsewhere.forgetLost() }} />
    )
  }
  if (elsewhere.count <= noticed) return null
  const close = { name: texts.close, run: () => setNoticed(elsewhere.count) }
  return <Banner key="changed" role="status" text={texts.changedElsewhere} action={close} />
}
