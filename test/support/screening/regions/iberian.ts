import type { Random } from '../generated-list.ts'
import { coin, compound, pickByCurve, pickDifferent, pickRanked, pool, type Region, type Word } from './pool.ts'
import { curves, mariaShare } from './published-shares.ts'

const given =
  pool(`José/Jose Juan Luis Carlos Jesús/Jesus Miguel Francisco Antonio Manuel Jorge Pedro Alejandro Fernando Rafael Ricardo Eduardo Javier
  Roberto Daniel Sergio Héctor/Hector Raúl/Raul Mario Víctor/Victor Ramón/Ramon Arturo Óscar/Oscar Enrique Gustavo Julio César/Cesar Alberto
  Alfredo Guillermo Ismael Joaquín/Joaquin Iván/Ivan Martín/Martin Diego Nicolás/Nicolas Gilberto Amado Hugo Néstor/Nestor David Pablo Andrés/Andres
  Felipe Santiago Gabriel Marco Rubén/Ruben Gerardo Armando Salvador Ignacio Mauricio Rodrigo Édgar/Edgar Ernesto Ángel/Angel Adrián/Adrian Cristian
  Sebastián/Sebastian Jaime Gonzalo Álvaro/Alvaro Alfonso Leonardo Emilio Tomás/Tomas Esteban Rogelio Rodolfo Abel Benjamín/Benjamin Félix/Felix
  Rolando Orlando Edwin Wilson Freddy Agustín/Agustin Vicente Domingo Lorenzo Simón/Simon Tareck Diosdado`)
const women =
  pool(`María/Maria Ana Rosa Guadalupe Patricia Gabriela Verónica/Veronica Sandra Leticia Martha Carmen Claudia Silvia Elena Teresa Laura Sofía/Sofia
  Isabel Alejandra Adriana Daniela Andrea Paula Juana Margarita Lucía/Lucia Mónica/Monica Beatriz Gloria Norma Valentina Camila Fernanda Carolina
  Diana Julia Raquel Pilar Yolanda Irma Alicia Angélica/Angelica Cecilia Luz Blanca Lorena Susana Natalia Esther Mercedes Marta Cristina Elsa Rocío/Rocio
  Francisca Antonia Josefa Dolores Consuelo Esperanza Graciela Cilia Delcy`)
const portuguese = pool(
  `João/Joao Antônio/Antonio Paulo Marcos Rui Tiago Luiz Gonçalo/Goncalo Henrique Joaquim Lucas Bruno Thiago Vinícius/Vinicius Leandro Fábio/Fabio`,
)
const family =
  pool(`García/Garcia Hernández/Hernandez Martínez/Martinez López/Lopez González/Gonzalez Rodríguez/Rodriguez Pérez/Perez
  Sánchez/Sanchez Ramírez/Ramirez Flores Torres Gómez/Gomez Díaz/Diaz Rivera Cruz Morales Reyes Gutiérrez/Gutierrez Ortiz Chávez/Chavez
  Ramos Ruiz Mendoza Álvarez/Alvarez Castillo Jiménez/Jimenez Romero Moreno Herrera Medina Vargas Castro Aguilar Méndez/Mendez Salazar
  Guzmán/Guzman Rojas Muñoz/Munoz Silva Santos Pereira Oliveira Souza Costa Ferreira Rodrigues Almeida Velázquez/Velazquez Contreras
  Guerrero Estrada Sandoval Domínguez/Dominguez Vega Soto Delgado Peña/Pena Ríos/Rios Alvarado Maldonado Valencia Acosta Cárdenas/Cardenas
  Molina Figueroa Miranda Ibarra Mejía/Mejia Solís/Solis Lara Salas Trejo Bautista Cervantes Robles Orozco Zamora Pacheco Rosales Mora Serrano Durán/Duran
  Padilla Ayala Camacho Cisneros Márquez/Marquez Arellano Osorio Galván/Galvan Villanueva Bravo Franco Gallegos Macías/Macias Montes Parra Quintero Rangel
  Tapia Trujillo Zúñiga/Zuniga Blanco Calderón/Calderon Correa Escobar Lozano Nieto Ochoa Paredes Ponce Prieto Restrepo Roldán/Roldan Salinas Sierra Tovar
  Uribe Vera Villa Zapata Lima Gomes Ribeiro Alves Carvalho Barbosa Rocha Dias Moreira Nunes Marques Cardoso Teixeira Cabrera Campos Fuentes Carrillo
  Núñez/Nunez Espinoza Cortés/Cortes Ávila/Avila León/Leon Navarro Juárez/Juarez Suárez/Suarez Valdez Benítez/Benitez Cordero Córdova/Cordova Arias
  Barrera Velasco Esquivel Villegas Peralta Meza Luna Godoy Quiroga Rivas Rosario Santana Vásquez/Vasquez Toledo Valenzuela Aguirre Bermúdez/Bermudez
  Caballero Cano Carmona Carrasco Castañeda/Castaneda Cedillo Chacón/Chacon Cuevas Domingo Escobedo Gallardo Gil Guerra Henríquez/Henriquez Hurtado
  Lucero Montoya Muñiz/Muniz Murillo Olivares Ordóñez/Ordonez Pineda Pizarro Portillo Quiroz Saavedra Sepúlveda/Sepulveda Téllez/Tellez Vallejo Yáñez/Yanez`)
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

const inventGiven = (random: Random): Word => ({
  latin: [coin(random, 1 + random.below(2), ['o', 'ino', 'ardo', 'elia', 'ina', 'io'])],
})
const inventFamily = (random: Random): Word =>
  random.chance(0.1)
    ? compound(random, heads, tails)
    : { latin: [coin(random, 2, ['ez', 'era', 'ado', 'ales', 'ondo', 'o'])] }

const surnames = [...family, ...rare]
const [maria, ...otherWomen] = women

function pickGiven(random: Random, isWoman: boolean): Word {
  if (!isWoman) return pickByCurve(random, given, curves.spanishMen, inventGiven)
  return random.chance(mariaShare) ? maria! : pickByCurve(random, otherWomen, curves.spanishWomen, inventGiven)
}

export const iberian: Region = {
  name: 'Spanish and Portuguese',
  share: 17,
  make: (random, isWoman) => {
    const isPortuguese = !isWoman && random.chance(0.1)
    const pick = () => (isPortuguese ? pickRanked(random, portuguese) : pickGiven(random, isWoman))
    const givens = pickDifferent(random.chance(0.45) ? 2 : 1, pick)
    const surname = () => pickByCurve(random, surnames, curves.spanishFamily, inventFamily)
    const family = random.chance(0.75) ? [surname(), surname()] : [surname()]
    return { given: givens.slice(0, 1), middle: givens.slice(1), family }
  },
}
