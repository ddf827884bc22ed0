import { useState } from 'preact/hooks'
import { useForm } from '../fields/context.ts'
import type { Lost } from '../model/elsewhere.ts'
import { fullLabelOf, labelOf, ownerOf } from '../model/labels.ts'
import { texts } from '../texts/words.ts'
import { Banner } from './banner.tsx'

/** Tells that another device has changed the form, and what this window had to give up for it. */
export function ElsewhereNotice() {
  const { store } = useForm()
  const [noticed, setNoticed] = useState(0)
  const { elsewhere } = store
  if (elsewhere.lost.length > 0) {
    const text = sayLost(elsewhere.lost, store.state.values)
    return (
      <Banner key="lost" role="alert" text={text} action={{ name: texts.close, run: () => elsewhere.forgetLost() }} />
    )
  }
  if (elsewhere.count <= noticed) return null
  const close = { name: texts.close, run: () => setNoticed(elsewhere.count) }
  return <Banner key="changed" role="status" text={texts.changedElsewhere} action={close} />
}

/** Says what was given up, by the reason for it. */
function sayLost(lost: readonly Lost[], values: unknown): string {
  const nameOf = ({ field, isRemoval }: Lost) =>
    isRemoval ? texts.removalOf(ownerOf(field, values) || labelOf(field, values)) : fullLabelOf(field, values)
  return [...Map.groupBy(lost, ({ reason }) => reason)]
    .map(([reason, each]) => texts.lostElsewhere[reason]([...new Set(each.map(nameOf))].join(', ')))
    .join(' ')
}
