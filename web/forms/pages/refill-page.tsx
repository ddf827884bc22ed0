import { useEffect, useState } from 'preact/hooks'
import { useForm } from '../fields/context.ts'
import { Field } from '../fields/field.tsx'
import { ApiError, api } from '../model/api.ts'
import { readText } from '../model/paths.ts'
import { problemsAt, type ShownProblem } from '../model/problems.ts'
import type { Catalog, Correction, FormState } from '../model/types.ts'
import { texts } from '../texts/words.ts'
import { ErrorSummary, Heading, Layout, SaveNote } from './layout.tsx'
import { PapersList } from './papers.tsx'
import { PeopleList } from './people.tsx'
import { PhoneOffer } from './phone-offer.tsx'

const people = 'kybData.associatedPersons'
const papers = 'kybData.businessDocuments'

/** Opens exactly what the issues name, each with its message. */
export function RefillPage({ onGo }: { onGo(id: string): void }) {
  const { store, catalog } = useForm()
  const { state } = store
  const [attempts, setAttempts] = useState(0)
  const [failure, setFailure] = useState('')
  const corrections = (state.corrections ?? []).map((each) => withoutBack(each, state, catalog))
  const parts = groupByFields(corrections)
  const fields = [...new Set(corrections.flatMap(({ opens }) => opens))]
  const problems = attempts > 0 ? findOpen(state, fields, corrections) : []
  const problemOf = (path: string) => problems.find(({ place }) => place === path)?.text
  useEffect(() => {
    for (const path of fields) {
      const [, document] = /^(.*)\.proofOfAddressImage$/.exec(path) ?? []
      if (document) store.ensureType(document, 'PROOF_OF_ADDRESS')
    }
  }, [])
  const submit = async (event: Event) => {
    event.preventDefault()
    await store.flush()
    if (store.saveStatus !== 'saved' || store.isEnded) return
    setAttempts(attempts + 1)
    setFailure('')
    if (findOpen(store.state, fields, corrections).length > 0) return
    try {
      store.accept(await api.submit(store.state.revision))
    } catch (error) {
      setFailure(error instanceof ApiError && error.status !== 0 ? error.message : texts.loadFailedHint)
    }
  }
  if (fields.length === 0) return <SupportPage corrections={corrections} />
  return (
    <Layout>
      <ErrorSummary problems={problems} count={attempts} />
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
            {messages.map((message) => (
              <p class="issue" key={message}>
                {message}
              </p>
            ))}
            {opens.map((path) => {
              if (path === people) return <PeopleList key={path} onGo={onGo} problem={problemOf(path)} />
              if (path === papers) return <PapersList key={path} problems={problems} />
              return <Field key={path} path={path} problem={problemOf(path)} />
            })}
          </section>
        ))}
        {fields.some((path) => path.endsWith('Image')) && <PhoneOffer />}
        <div class="actions">
          <button type="submit">{texts.refill.submit}</button>
          <SaveNote />
        </div>
      </form>
    </Layout>
  )
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
function groupByFields(corrections: readonly Correction[]): Part[] {
  const parts: Part[] = []
  const shown = new Set<string>()
  for (const { opens, message } of corrections) {
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
function findOpen(state: FormState, fields: readonly string[], corrections: readonly Correction[]): ShownProblem[] {
  const found = problemsAt(state, fields).filter(({ mayStay, isRefused }) => !mayStay || isRefused)
  const unchanged = corrections.flatMap(({ opens, message }): ShownProblem[] => {
    const pictures = opens.filter((path) => path.endsWith('Image'))
    const isOnlyPictures = pictures.length > 0 && pictures.length === opens.length
    const [first = ''] = pictures
    const isAnswered = !isOnlyPictures || pictures.some((path) => state.files[path]?.isNew)
    return isAnswered ? [] : [{ place: first, text: `${message} ${texts.refill.newFile}`, mayStay: false }]
  })
  return [...found, ...unchanged.filter(({ place }) => !found.some((each) => each.place === place))]
}

function SupportPage({ corrections }: { corrections: readonly Correction[] }) {
  return (
    <Layout>
      <Heading title={texts.refill.support} of="support" />
      {[...new Set(corrections.map(({ message }) => message))].map((message) => (
        <p key={message}>{message}</p>
      ))}
      <p class="lead">{texts.refill.supportText}</p>
    </Layout>
  )
}
