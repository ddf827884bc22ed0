import { coin, compound, pickRanked, pickSome, pool, type Region } from './pool.ts'

const given =
  pool(`José/Jose Juan Luis Carlos Jesús/Jesus Miguel Francisco Antonio Manuel Jorge Pedro Alejandro Fernando Rafael Ricardo Eduardo Javier
  Roberto Daniel Sergio Héctor/Hector Raúl/Raul Mario Víctor/Victor Ramón/Ramon Arturo Óscar/Oscar Enrique Gustavo Julio César/Cesar Alberto
  Alfredo Guillermo Ismael Joaquín/Joaquin Iván/Ivan Martín/Martin Diego Nicolás/Nicolas Gilberto Amado Hugo Nestor Tareck Cilia Delcy Diosdado`)
const women = pool(
  `María/Maria Ana Rosa Guadalupe Patricia Gabriela Verónica/Veronica Sandra Leticia Martha Carmen Claudia Silvia Elena Teresa`,
)
const portuguese = pool(
  `João/Joao Antônio/Antonio Paulo Marcos Rui Tiago Luiz Gonçalo/Goncalo Henrique Joaquim Inês/Ines`,
)
const family =
  pool(`García/Garcia Hernández/Hernandez Martínez/Martinez López/Lopez González/Gonzalez Rodríguez/Rodriguez Pérez/Perez
  Sánchez/Sanchez Ramírez/Ramirez Flores Torres Gómez/Gomez Díaz/Diaz Rivera Cruz Morales Reyes Gutiérrez/Gutierrez Ortiz Chávez/Chavez
  Ramos Ruiz Mendoza Álvarez/Alvarez Castillo Jiménez/Jimenez Romero Moreno Herrera Medina Vargas Castro Aguilar Méndez/Mendez Salazar
  Guzmán/Guzman Rojas Muñoz/Munoz Silva Santos Pereira Oliveira Souza Costa Ferreira Rodrigues Almeida Velázquez/Velazquez Contreras
  Guerrero Estrada Sandoval Domínguez/Dominguez Vega Soto Delgado Peña/Pena Ríos/Rios Alvarado Maldonado Valencia Acosta Cárdenas/Cardenas`)
const rare =
  pool(`Loera Zambada Arellano Carrillo Treviño/Trevino Lazcano Villarreal Quintero Esparragoza Avilés/Aviles Inzunza Cázarez/Cazarez
  Montelongo Urías/Urias Zazueta Burgueño/Burgueno Cifuentes Restrepo Oseguera Cabello Saab Bernal Coronel Beltrán/Beltran Tirado Verdugo
  Valdez Labra Arriola Murillo Ochoa Escobar Gacha Solórzano/Solorzano Rosales Abrego Otoniel Úsuga/Usuga Giraldo Marulanda Devia Rentería/Renteria
  Echeverría/Echeverria Goicochea Urdaneta Padrino Benavides Padilla Reverol Zerpa Lugo Amoroso Rodríguez_Chacín/Rodriguez_Chacin`)
const heads = pool(
  `Mont Vill Cast Barr Sal Per Agu Ib Zub Ech Go Lar Uri Men Arr Bal Cam Dor Esp Fig Gar Her Laz Mal Nav Oca Pal Quin Rib Sar`,
)
const tails = pool(
  `alvo eguera inza ondo urrutia avides osta ero enegro aguirre orga ales oitia ena averde alta ino osa izo abal`,
)

export const iberian: Region = {
  name: 'Spanish and Portuguese',
  share: 17,
  make: (random) => {
    const names = random.chance(0.2) ? women : random.chance(0.1) ? portuguese : given
    const tail = () => ({ latin: [coin(random, 1 + random.below(2), ['o', 'ino', 'ardo', 'elia', 'ina', 'io'])] })
    const givens = pickSome(random, names, random.chance(0.45) ? 2 : 1).map((name) =>
      random.chance(0.25) ? tail() : name,
    )
    const surname = () => {
      const shape = random.below(10)
      if (shape < 3) return pickRanked(random, family)
      if (shape < 4) return random.pick(rare)
      return shape < 5
        ? compound(random, heads, tails)
        : { latin: [coin(random, 2, ['ez', 'era', 'ado', 'ales', 'ondo', 'o'])] }
    }
    const surnames = random.chance(0.75) ? [surname(), surname()] : [surname()]
    return { given: givens.slice(0, 1), middle: givens.slice(1), family: surnames }
  },
}
