import { useEffect, useState } from 'preact/hooks'
import { useForm } from '../fields/context.ts'
import { Field } from '../fields/field.tsx'
import { api } from '../model/api.ts'
import { labelOf, ownerOf } from '../model/labels.ts'
import { concerns, newDocumentsIn, readText } from '../model/paths.ts'
import { finish } from '../model/pending-files.ts'
import { problemsAt, type ShownProblem, sayCorrection, withOwner, withoutMoved } from '../model/problems.ts'
import { sayRefusal } from '../model/refusals.ts'
import type { FormStore } from '../model/store.ts'
import type { Catalog, Correction, FormState } from '../model/types.ts'
import { texts } from '../texts/words.ts'
import { ErrorSummary, Heading, Layout, SaveNote, StuckAlert } from './layout.tsx'
import { PapersList } from './papers.tsx'
import { PeopleList } from './people.tsx'
import { PhoneOffer } from './phone-offer.tsx'

const people = 'kybData.associatedPersons'
const papers = 'kybData.businessDocuments'

/** Opens exactly what the issues name, each with its message. */
export function RefillPage({ onGo }: { onGo(id: string, place?: string): void }) {
  const { store, catalog } = useForm()
  const { state } = store
  const [attempts, setAttempts] = useState(0)
  const [failure, setFailure] = useState('')
  const [isBusy, setBusy] = useState(false)
  const [presses, setPresses] = useState(0)
  const corrections = correctionsOf(state, catalog)
  const parts = groupByFields(corrections, state.values)
  const fields = [...new Set(corrections.flatMap(({ opens }) => opens))]
  const problems = attempts > 0 ? findOpen(store, fields, corrections) : []
  useEffect(() => {
    for (const [document, type] of newDocumentsIn(fields)) store.ensureType(document, type)
  }, [])
  const submit = async (event: Event) => {
    event.preventDefault()
    setPresses((count) => count + 1)
    if (isBusy) return
    setBusy(true)
    const isWhole = await finish(store, fields)
    setBusy(false)
    if (!isWhole || store.saveStatus !== 'saved' || store.isEnded) return
    setAttempts(attempts + 1)
    setFailure('')
    if (findOpen(store, fields, corrections).length > 0) return
    setBusy(true)
    try {
      store.accept(await api.submit(store.state.revision))
    } catch (error) {
      setFailure(sayRefusal(error, store.state.values))
    }
    setBusy(false)
  }
  if (fields.length === 0) return <SupportPage corrections={corrections} />
  return (
    <Layout>
      <ErrorSummary problems={problems.map((each) => withOwnerOf(each, state.values))} count={attempts} onGo={onGo} />
      {failure && (
        <p class="problem" role="alert">
          {failure}
        </p>
      )}
      <Heading title={texts.refill.title} of="refill" />
      <p class="lead">{texts.refill.text}</p>
      <form onSubmit={submit} noValidate>
        {parts.map(({ opens, messages }) => (
          <section class="correction" key={opens.join() + messages.join()}>
            <Owner fields={opens} />
            {messages.map((message) => (
              <p class="issue" key={message}>
                {message}
              </p>
            ))}
            {opens.map((path) => (
              <Opened key={path} path={path} problems={problems} onGo={onGo} />
            ))}
          </section>
        ))}
        {fields.some((path) => path.endsWith('Image')) && <PhoneOffer />}
        <StuckAlert attempts={presses} />
        <div class="actions">
          <button type="submit" aria-disabled={isBusy}>
            {texts.refill.submit}
          </button>
          <SaveNote />
        </div>
      </form>
    </Layout>
  )
}

/** Names the person or the document that all fields of a correction belong to. */
function Owner({ fields }: { fields: readonly string[] }) {
  const { store } = useForm()
  const owners = new Set(fields.map((field) => ownerOf(field, store.state.values)))
  const [owner = ''] = owners
  return owners.size === 1 && owner !== '' ? <h2>{owner}</h2> : null
}

function withOwnerOf(problem: ShownProblem, values: unknown): ShownProblem {
  return { ...problem, text: withOwner(problem.place, problem.text, values) }
}

type OpenedProps = { path: string; problems: readonly ShownProblem[]; onGo(id: string): void }

/** A field that an issue opens, or a whole list of people or papers. */
function Opened({ path, problems, onGo }: OpenedProps) {
  const problem = problems.find(({ place }) => place === path)?.text
  if (path === people) {
    return (
      <>
        <h2>{texts.refill.people}</h2>
        <PeopleList onGo={onGo} problem={problem} />
      </>
    )
  }
  if (path === papers) {
    return (
      <>
        <h2>{texts.refill.papers}</h2>
        <PapersList problems={problems} />
      </>
    )
  }
  return <Field path={path} problem={problem} />
}

function correctionsOf(state: FormState, catalog: Catalog): Correction[] {
  return withoutMoved(state.corrections ?? [], state.moves).map((each) => withoutBack(each, state, catalog))
}

/** Of a passport one page is enough, unless the issue is about the back alone. */
function withoutBack(correction: Correction, { values }: FormState, { oneSided }: Catalog): Correction {
  const isNeeded = (path: string) => !oneSided.includes(readText(values, path.replace(/backIdImage$/, 'subtype')))
  const { opens } = correction
  if (opens.length === 1) return correction
  return { ...correction, opens: opens.filter((path) => !path.endsWith('.backIdImage') || isNeeded(path)) }
}

type Part = { opens: string[]; messages: string[] }

/** Joins corrections that open the same fields, so that each field is on the page once. */
function groupByFields(corrections: readonly Correction[], values: unknown): Part[] {
  const parts: Part[] = []
  const shown = new Set<string>()
  for (const correction of corrections) {
    const { opens } = correction
    const message = sayCorrection(correction, values)
    const fresh = opens.filter((path) => !shown.has(path))
    const same = parts.find((part) => part.opens.some((path) => opens.includes(path)))
    for (const path of fresh) shown.add(path)
    if (same) {
      same.opens.push(...fresh)
      if (!same.messages.includes(message)) same.messages.push(message)
    } else parts.push({ opens: fresh, messages: [message] })
  }
  return parts
}

/** Finds what still keeps the corrections from being sent: a problem, or a picture that was not replaced. */
function findOpen(store: FormStore, fields: readonly string[], corrections: readonly Correction[]): ShownProblem[] {
  const { state } = store
  const found = problemsAt(state, fields, store.files.waiting()).filter(
    ({ mayStay, isRefused }) => !mayStay || isRefused,
  )
  const newFiles = Object.keys(state.files).filter((path) => state.files[path]?.isNew)
  const unchanged = corrections.flatMap(({ opens, needsFile }): ShownProblem[] => {
    const pictures = opens.filter((path) => path.endsWith('Image'))
    const isAboutFiles = needsFile || (pictures.length > 0 && pictures.length === opens.length)
    const isAnswered = newFiles.some((path) => opens.some((open) => concerns(open, path)))
    if (!isAboutFiles || isAnswered) return []
    const place = pictures[0] ?? opens[0] ?? ''
    return [{ place, text: texts.refill.newFile(labelOf(place, state.values)), mayStay: false }]
  })
  const all = [...found, ...unchanged.filter(({ place }) => !found.some((each) => each.place === place))]
  const orderOf = ({ place }: ShownProblem) => fields.findIndex((field) => concerns(field, place))
  return all.sort((one, other) => orderOf(one) - orderOf(other))
}

function SupportPage({ corrections }: { corrections: readonly Correction[] }) {
  return (
    <Layout>
      <div class="status">
        <span class="mark" aria-hidden="true" />
        <Heading title={texts.refill.support} of="support" />
        {[...new Set(corrections.map((each) => sayCorrection(each, {})))].map((message) => (
          <p key={message}>{message}</p>
        ))}
        <p class="lead">{texts.refill.supportText}</p>
      </div>
    </Layout>
  )
}
