import { useState } from 'preact/hooks'
import { useForm } from '../fields/context.ts'
import type { Lost } from '../model/elsewhere.ts'
import { formatList } from '../texts/format.ts'
import { texts } from '../texts/words.ts'
import { Banner } from './banner.tsx'

/** Tells that another device has changed the form, and what this window had to give up for it. */
export function ElsewhereNotice() {
  const { store } = useForm()
  const [noticed, setNoticed] = useState(0)
  const { elsewhere } = store
  // A page that shows no answers names no people either.
  if (store.isEnded) return null
  if (elsewhere.lost.length > 0) {
    const text = sayLost(elsewhere.lost)
    return (
      <Banner key="lost" role="alert" text={text} action={{ name: texts.close, run: () => elsewhere.forgetLost() }} />
    )
  }
  if (elsewhere.count <= noticed) return null
  const close = { name: texts.close, run: () => setNoticed(elsewhere.count) }
  return <Banner key="changed" role="status" text={texts.changedElsewhere} action={close} />
}

/** Says what was given up, by the reason for it. */
function sayLost(lost: readonly Lost[]): string {
  return [...Map.groupBy(lost, ({ reason }) => reason)]
    .map(([reason, each]) => texts.lostElsewhere[reason](formatList([...new Set(each.map(({ label }) => label))])))
    .join(' ')
}
