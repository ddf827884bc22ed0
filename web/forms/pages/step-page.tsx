import { useEffect, useState } from 'preact/hooks'
import { useForm } from '../fields/context.ts'
import { Field } from '../fields/field.tsx'
import { read } from '../model/paths.ts'
import { finish } from '../model/pending-files.ts'
import { problemsAt, type ShownProblem } from '../model/problems.ts'
import { progressOf, type Step, stepsOf } from '../model/steps.ts'
import { textAt, texts } from '../texts/words.ts'
import { ErrorSummary, goTo, Heading, Layout, SaveNote, StuckAlert } from './layout.tsx'
import { PapersList } from './papers.tsx'
import { PeopleList } from './people.tsx'
import { PhoneOffer } from './phone-offer.tsx'
import { ProofOffer } from './proof-offer.tsx'

/** `place`: a field with a problem, which the customer comes to correct. */
export type StepPageProps = { step: Step; place?: string | undefined; onGo(id: string, place?: string): void }

/** One page of the form. Continue saves, asks the service for problems, and shows them or the next page. */
export function StepPage({ step, place, onGo }: StepPageProps) {
  const { store, catalog } = useForm()
  const [first] = useState(place === undefined ? 0 : 1)
  const [attempts, setAttempts] = useState(first)
  const [confirmed, setConfirmed] = useState('')
  const [isBusy, setBusy] = useState(false)
  const [presses, setPresses] = useState(0)
  useEffect(() => {
    if (place !== undefined) goTo(place)
  }, [])
  const steps = stepsOf(store.state, catalog)
  const at = steps.findIndex(({ id }) => id === step.id)
  const findProblems = () => problemsAt(store.state, step.fields, store.files.waiting())
  const found = attempts > 0 ? findProblems() : []
  const problems = found.filter(({ place, mayStay }) => !(mayStay && confirmed.includes(place)))

  const proceed = async (event: Event) => {
    event.preventDefault()
    setPresses((count) => count + 1)
    if (isBusy) return
    setBusy(true)
    await finish(store, step.fields)
    setBusy(false)
    if (store.saveStatus !== 'saved' || store.isEnded) return
    const now = findProblems()
    // A doubtful answer is asked about once; leaving it as it is confirms it.
    const open = now.filter(
      ({ place, mayStay }) => !(mayStay && attempts > 0 && problems.some((each) => each.place === place)),
    )
    if (open.length === 0) {
      store.confirm(now.map(({ place }) => place))
      onGo(nextOf(steps, step)?.id ?? 'check')
    } else {
      const doubts = now.filter(({ mayStay }) => mayStay && attempts > 0)
      setConfirmed(doubts.map(({ place }) => place).join(' '))
      setAttempts(attempts + 1)
    }
  }
  const [title, hint] = textAt<readonly [string, string]>(texts.steps, step.topic) ?? ['', '']
  const progress = progressOf(steps, step)
  return (
    <Layout progress={progress}>
      {at > 0 && (
        <button type="button" class="link back" onClick={() => onGo(previousOf(steps, step)?.id ?? '')}>
          <span class="arrow" aria-hidden="true" />
          {texts.back}
        </button>
      )}
      <ErrorSummary problems={problems} count={attempts - first} onGo={onGo} />
      <Heading title={titleOf(step, title)} above={aboveOf(steps, step)} of={step.id} isQuiet={first > 0} />
      <p class="lead">{hint}</p>
      <form onSubmit={proceed} noValidate>
        {step.kind === 'people' && <PeopleList onGo={onGo} problem={problems[0]?.text} />}
        {step.kind === 'papers' && <PapersList problems={problems} />}
        {step.kind === undefined && <Fields step={step} problems={problems} />}
        {/document$/.test(step.topic) && <ProofOffer person={personOf(step)} />}
        {step.fields.some((path) => path.endsWith('Image')) && <PhoneOffer />}
        <StuckAlert attempts={presses} />
        <div class="actions">
          <button type="submit" aria-disabled={isBusy}>
            {texts.continue}
          </button>
          <SaveNote />
        </div>
      </form>
    </Layout>
  )
}

/** The fields of a page. The question for a second address stands before it. */
function Fields({ step, problems }: { step: Step; problems: readonly ShownProblem[] }) {
  const show = (path: string) => (
    <Field key={path} path={path} problem={problems.find(({ place }) => place === path)?.text} />
  )
  const isOperating = (path: string) => path.startsWith(`${operatingAddress}.`)
  return (
    <>
      {step.fields.filter((path) => !isOperating(path)).map(show)}
      {step.id === 'addresses' && <OperatingAddress />}
      {step.fields.filter(isOperating).map(show)}
    </>
  )
}

function personOf({ person }: Step): string {
  return person === undefined ? 'kycData' : `kybData.associatedPersons[${person}]`
}

function titleOf({ person }: Step, title: string): string {
  return person === undefined ? title : texts.people.page(texts.people.person(person + 1), title)
}

function aboveOf(steps: readonly Step[], step: Step): string {
  const { at, of } = progressOf(steps, step)
  if (step.person === undefined) return texts.step(at, of)
  const parts = steps.filter(({ person }) => person === step.person)
  return `${texts.step(at, of)}, ${texts.part(parts.findIndex(({ id }) => id === step.id) + 1, parts.length)}`
}

/** The pages of a person follow each other, and end at the list of people. */
function nextOf(steps: readonly Step[], step: Step): Step | undefined {
  if (step.person === undefined) {
    const main = steps.filter(({ person }) => person === undefined)
    return main[main.findIndex(({ id }) => id === step.id) + 1]
  }
  const next = steps[steps.findIndex(({ id }) => id === step.id) + 1]
  return next?.person === step.person ? next : steps.find(({ kind }) => kind === 'people')
}

function previousOf(steps: readonly Step[], step: Step): Step | undefined {
  const before = steps[steps.findIndex(({ id }) => id === step.id) - 1]
  const isInside = before?.person !== undefined && before.person !== step.person
  return isInside ? steps.find(({ kind }) => kind === 'people') : before
}

const operatingAddress = 'kybData.businessOperatingAddress'

function OperatingAddress() {
  const { store } = useForm()
  const path = operatingAddress
  const isOther = read(store.state.values, path) !== undefined
  const toggle = () => {
    const country = read(store.state.values, 'kybData.businessRegisteredAddress.countryCode')
    if (isOther) store.set(path, undefined)
    else store.set(`${path}.countryCode`, country ?? 'US')
    void store.flush()
  }
  return (
    <label class="radio apart">
      <input type="checkbox" checked={isOther} onChange={toggle} />
      <span>{texts.operating}</span>
    </label>
  )
}
