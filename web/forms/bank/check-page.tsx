import { useState } from 'preact/hooks'
import { optionsOf } from '../fields/kinds.ts'
import { labelOf } from '../model/labels.ts'
import { readText } from '../model/paths.ts'
import { textAt, texts } from '../texts/words.ts'
import { useBank } from './context.ts'
import { Answers, Frame } from './frame.tsx'
import { accountTypePath, chosenRail, countryPath, fieldsOf, ownerPath, railPath } from './model.ts'

/** What was typed, to be read once more before it is saved. */
export function CheckPage({ onBack }: { onBack(): void }) {
  const store = useBank()
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState('')
  const { values, about, catalog } = store
  const answers = { state: about, values }
  const { account, owner } = fieldsOf(answers, catalog)
  const rail = chosenRail(answers)?.rail ?? ''
  const sayAnswer = (path: string): string => {
    const value = readText(values, path)
    if (path === accountTypePath) return say(texts.bank.accountTypes, value || 'CHECKING')
    if (path === `${ownerPath}.type`) return say(texts.bank.ownerTypes, value)
    return optionsOf(path, catalog, values)?.find(([code]) => code === value)?.[1] ?? value
  }
  const save = async () => {
    if (isBusy) return
    setBusy(true)
    setFailure('')
    const code = await store.save()
    setBusy(false)
    if (code === undefined || store.about.status !== 'OPEN' || store.isEnded) return
    // What is wrong with an answer is told at its field.
    if (store.problems(true).length > 0) onBack()
    else setFailure(textAt(texts.bank.refusals, code) ?? texts.bank.refusals.OTHER)
  }
  const [title = '', hint = ''] = texts.bank.check
  const back = (
    <button type="button" class="link back" onClick={onBack}>
      <span class="arrow" aria-hidden="true" />
      {texts.back}
    </button>
  )
  const ownerName = about.owner?.name ?? ''
  const shown = [countryPath, ...account, ...owner].map((path) => [labelOf(path, values), sayAnswer(path)] as const)
  return (
    <Frame title={title} hint={hint} of="check" above={back}>
      <Answers
        pairs={[
          ...shown.slice(0, 1),
          [labelOf(railPath, values), textAt(texts.bank.rails, rail) ?? rail],
          ...shown.slice(1),
          ...(owner.length === 0 ? [[texts.bank.ownerTitle, ownerName] as const] : []),
        ]}
      />
      <p class="declare">{texts.bank.declare}</p>
      <div role="alert">{failure && <p class="problem">{failure}</p>}</div>
      <div class="actions">
        <button type="button" aria-disabled={isBusy} onClick={() => void save()}>
          {isBusy ? texts.bank.saving : texts.bank.save}
        </button>
      </div>
    </Frame>
  )
}

function say(words: Readonly<Record<string, string>>, code: string): string {
  return words[code] ?? code
}
