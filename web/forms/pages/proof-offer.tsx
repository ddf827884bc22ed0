import { useForm } from '../fields/context.ts'
import { idOf } from '../fields/question.tsx'
import { documentPath, read } from '../model/paths.ts'
import { texts } from '../texts/words.ts'

/** Lets a person add a proof of address before the verification asks for one, or take it back. */
export function ProofOffer({ person }: { person: string }) {
  const { store } = useForm()
  const path = documentPath(store.state.values, person, 'PROOF_OF_ADDRESS')
  const hasProof = read(store.state.values, `${path}.type`) !== undefined
  const toggle = async () => {
    if (hasProof) {
      store.set(path, undefined)
      return store.flush()
    }
    // The identity document keeps its place, also when it has no answer yet but a picture that waits.
    store.ensureType(documentPath(store.state.values, person, 'GOVERNMENT_ID'), 'GOVERNMENT_ID')
    const added = documentPath(store.state.values, person, 'PROOF_OF_ADDRESS')
    store.set(`${added}.type`, 'PROOF_OF_ADDRESS')
    await store.flush()
    document.getElementById(idOf(`${added}.subtype`))?.focus()
  }
  return (
    <p>
      <button type="button" class="link" onClick={() => void toggle()}>
        {hasProof ? texts.proof.remove : texts.proof.add}
      </button>
    </p>
  )
}
